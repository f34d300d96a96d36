#pragma once

#include <string>
#include <utility>

#include "variants/convolve/best.cuh"

/// Every shape of the direct kernel that is worth a measurement.
namespace tune {

using tally_convolve::Direct;

inline constexpr Direct shapes[] = {{1, 128},   {1, 256},   {3, 128},   {5, 64},    {5, 128},
                                    {7, 64},    {7, 128},   {3, 64, 2}, {7, 64, 2}, {3, 64, 4},
                                    {1, 32, 8}, {3, 32, 8}, {1, 32, 16}};
inline constexpr int count_of_shapes = sizeof(shapes) / sizeof(shapes[0]);

inline std::string name_of(const Direct& shape) {
  return "direct/w" + std::to_string(shape.words) + "/l" + std::to_string(shape.lanes) + "/g" +
         std::to_string(shape.groups);
}

/// visit.template operator()<shape>() for each.
template <typename Visit, int... index>
void for_each_shape(const Visit& visit, std::integer_sequence<int, index...>) {
  (visit.template operator()<shapes[index]>(), ...);
}
template <typename Visit>
void for_each_shape(const Visit& visit) {
  for_each_shape(visit, std::make_integer_sequence<int, count_of_shapes>());
}

}  // namespace tune
