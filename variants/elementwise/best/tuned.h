#pragma once

#include "kernel.h"

/// The first table, before any measurement.
namespace tally_elementwise {

// clang-format off
inline constexpr Row table[] = {
    {96 * kilobytes, {Way::tiles, 64, 1}},
    {1 * megabytes, {Way::tiles, 128, 1}},
    {any_size, {Way::tiles, 256, 4, Hint::evict_first}},
};
// clang-format on

}  // namespace tally_elementwise
