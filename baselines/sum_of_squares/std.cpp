/// The C++ standard library on the CPU: what a program without a GPU would write.
#include <execution>
#include <numeric>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/sum_of_squares.h"

namespace tally {
namespace {

template <typename T, typename Policy>
auto reduced_with(const Policy& policy, SumOfSquares<T> problem) {
  return [=](Queue&) {
    *problem.out = std::transform_reduce(
        policy, problem.x, problem.x + problem.n, T(0), [](T a, T b) { return added(a, b); },
        [](T value) { return squared(value); });
  };
}

TALLY_BASELINE(SumOfSquares, std, transform_reduce)
    .lesson("std::transform_reduce on one core.")
    .source("C++ standard library")
    .types<std::int32_t, float, double>()
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch&) {
      return reduced_with(std::execution::seq, problem);
    });

TALLY_BASELINE(SumOfSquares, std, transform_reduce_par_unseq)
    .lesson("std::transform_reduce with std::execution::par_unseq: all cores, vectorised.")
    .source("C++ standard library")
    .types<std::int32_t, float, double>()
    .not_deterministic("the order of additions follows how the cores share the work")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch&) {
      return reduced_with(std::execution::par_unseq, problem);
    });

}  // namespace
}  // namespace tally
