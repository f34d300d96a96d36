/// The C++ standard library on the CPU: for_each over the outputs.
#include <algorithm>
#include <execution>
#include <type_traits>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"

namespace tally {
namespace {

template <typename T, typename Direction, typename Policy>
auto upsampled_with(const Policy& policy, UpsampleNearest2x<T, Direction> p) {
  const std::int64_t outputs = std::is_same_v<Direction, Forward> ? 4 * p.elements : p.elements;
  return [=](Queue&) {
    std::for_each(policy, p.out, p.out + outputs, [p](T& cell) {
      const std::int64_t output = &cell - p.out;
      if constexpr (std::is_same_v<Direction, Forward>) {
        cell = p.in[element_behind(output, p.width)];
      } else {
        const T* upper = p.in + corner_of_square(output, p.width);
        const T* lower = upper + 2 * p.width;
        cell = upper[0] + upper[1] + lower[0] + lower[1];
      }
    });
  };
}

TALLY_BASELINE(UpsampleNearest2x, std, for_each)
    .lesson("std::for_each over the outputs, on one core.")
    .source("C++ standard library")
    .types<float>()
    .prepare([]<typename T, typename D>(UpsampleNearest2x<T, D> problem, const Tuning&, Scratch&) {
      return upsampled_with(std::execution::seq, problem);
    });

TALLY_BASELINE(UpsampleNearest2x, std, for_each_par)
    .lesson("std::for_each over the outputs with std::execution::par: all cores.")
    .source("C++ standard library")
    .types<float>()
    .prepare([]<typename T, typename D>(UpsampleNearest2x<T, D> problem, const Tuning&, Scratch&) {
      return upsampled_with(std::execution::par, problem);
    });

}  // namespace
}  // namespace tally
