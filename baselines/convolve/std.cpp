/// Direct convolution on the CPU with the C++ standard library.
#include <algorithm>
#include <execution>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/convolve.h"

namespace tally {
namespace {

double a_tap_after_the_other(const ProblemKey& key, const Tuning&) {
  return static_cast<double>(std::min(key.n, key.integer("taps")));
}

template <typename T, typename Policy>
auto convolved_with(const Policy& policy, Convolve<T> p) {
  return [=](Queue&) {
    std::for_each(policy, p.out, p.out + p.outputs(), [p](T& cell) {
      const std::int64_t t = &cell - p.out;
      T sum = 0;
      for (std::int64_t m = std::max<std::int64_t>(t - p.n + 1, 0); m < std::min(t + 1, p.taps); ++m)
        sum += p.a[t - m] * p.b[m];
      cell = sum;
    });
  };
}

TALLY_BASELINE(Convolve, std, for_each)
    .lesson("A dot product for every output, on one core.")
    .source("C++ standard library")
    .types<float, double>()
    .additions(a_tap_after_the_other)
    .prepare([]<typename T>(Convolve<T> problem, const Tuning&, Scratch&) {
      return convolved_with(std::execution::seq, problem);
    });

TALLY_BASELINE(Convolve, std, for_each_par)
    .lesson("A dot product for every output, std::for_each with std::execution::par: all cores.")
    .source("C++ standard library")
    .types<float, double>()
    .additions(a_tap_after_the_other)
    .prepare([]<typename T>(Convolve<T> problem, const Tuning&, Scratch&) {
      return convolved_with(std::execution::par, problem);
    });

}  // namespace
}  // namespace tally
