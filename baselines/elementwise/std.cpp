/// The C++ standard library on the CPU.
#include <algorithm>
#include <execution>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"

namespace tally {
namespace {

template <typename T, typename Op, typename Policy>
auto transformed_with(const Policy& policy, Elementwise<T, Op> p) {
  return [=](Queue&) {
    if constexpr (Op::inputs == 1) {
      std::transform(policy, p.x, p.x + p.n, p.out, p.op);
    } else if constexpr (Op::inputs == 2) {
      std::transform(policy, p.x, p.x + p.n, p.y, p.out, p.op);
    } else {
      // std::transform ends at two inputs; the place of an output finds its three.
      std::for_each(policy, p.out, p.out + p.n, [p](T& cell) {
        const std::ptrdiff_t i = &cell - p.out;
        cell = p.op(p.x[i], p.y[i], p.z[i]);
      });
    }
  };
}

TALLY_BASELINE(Elementwise, std, transform)
    .lesson("std::transform on one core.")
    .source("C++ standard library")
    .types<float, double>()
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning&, Scratch&) {
      return transformed_with(std::execution::seq, problem);
    });

TALLY_BASELINE(Elementwise, std, transform_par_unseq)
    .lesson("std::transform with std::execution::par_unseq: all cores, vectorised.")
    .source("C++ standard library")
    .types<float, double>()
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning&, Scratch&) {
      return transformed_with(std::execution::par_unseq, problem);
    });

}  // namespace
}  // namespace tally
