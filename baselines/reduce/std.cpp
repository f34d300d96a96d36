/// The C++ standard library on the CPU: what a program without a GPU would write.
#include <execution>
#include <numeric>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

namespace tally {
namespace {

template <typename T, typename Op, typename Policy>
auto reduced_with(const Policy& policy, Reduce<T, Op> problem) {
  return [=](Queue&) {
    using A = Accumulator<T>;
    // A transform, since std::reduce would add up int8 in the type of its elements.
    const A total = std::transform_reduce(policy, problem.x, problem.x + problem.n, problem.op.identity(),
                                          problem.op, [](T value) { return static_cast<A>(value); });
    *problem.out = problem.op.finish(total);
  };
}

TALLY_BASELINE(Reduce, std, reduce)
    .lesson("std::transform_reduce on one core.")
    .source("C++ standard library")
    .types<float, double, std::int8_t, std::int32_t, std::int64_t>()
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch&) {
      return reduced_with(std::execution::seq, problem);
    });

TALLY_BASELINE(Reduce, std, reduce_par_unseq)
    .lesson("std::transform_reduce with std::execution::par_unseq: all cores, vectorised.")
    .source("C++ standard library")
    .types<float, double, std::int8_t, std::int32_t, std::int64_t>()
    .not_deterministic("the order of additions follows how the cores share the work")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch&) {
      return reduced_with(std::execution::par_unseq, problem);
    });

}  // namespace
}  // namespace tally
