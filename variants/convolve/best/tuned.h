#pragma once

#include "plan.h"

/// What measurements chose; README.md beside this folder says which.
namespace tally_convolve {

/// Up to so many outputs: the direct kernel's shape, and from how many taps on overlap-save is faster.
struct Row {
  std::int64_t most_outputs;
  Direct few_taps;   ///< up to most_few_taps
  Direct many_taps;  ///< above
  std::int64_t overlap_save_from;
};

inline constexpr std::int64_t most_few_taps = 32;

// clang-format off
inline constexpr Row table[] = {
    {1 << 15,   {1, 128}, {1, 32, 8}, 1024},
    {1 << 18,   {1, 128}, {3, 32, 8}, 512},
    {1 << 21,   {1, 256}, {3, 64, 2}, 256},
    {INT64_MAX, {3, 128}, {7, 128},   128},
};
// clang-format on

}  // namespace tally_convolve
