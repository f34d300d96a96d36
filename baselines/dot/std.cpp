/// The C++ standard library on the CPU.
#include <execution>
#include <numeric>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

namespace tally {
namespace {

TALLY_BASELINE(Dot, std, transform_reduce)
    .lesson("std::transform_reduce of two ranges, on one core.")
    .source("C++ standard library")
    .types<float, double>()
    .prepare([]<typename T>(Dot<T, T> p, const Tuning&, Scratch&) {
      return [=](Queue&) { *p.out = std::transform_reduce(std::execution::seq, p.x, p.x + p.n, p.y, T(0)); };
    });

TALLY_BASELINE(Dot, std, transform_reduce_par_unseq)
    .lesson("std::transform_reduce with std::execution::par_unseq: all cores, vectorised.")
    .source("C++ standard library")
    .types<float, double>()
    .not_deterministic("the order of additions follows how the cores share the work")
    .prepare([]<typename T>(Dot<T, T> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        *p.out = std::transform_reduce(std::execution::par_unseq, p.x, p.x + p.n, p.y, T(0));
      };
    });

}  // namespace
}  // namespace tally
