#pragma once

#include "kernel.h"

/// The first tables, before any measurement.
namespace tally_upsample {

// clang-format off
inline constexpr Row forward_table[] = {
    {1 * megabytes, {Way::tiles, 128, 1}},
    {any_size, {Way::tiles, 256, 4}},
};
inline constexpr Row backward_table[] = {
    {1 * megabytes, {Way::tiles, 128, 1}},
    {any_size, {Way::tiles, 256, 2}},
};
// clang-format on

}  // namespace tally_upsample
