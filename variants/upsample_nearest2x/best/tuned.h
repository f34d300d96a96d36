#pragma once

#include "kernel.h"

/// Written by tests/variants/tune_tables.py; README.md beside this folder says from what.
namespace tally_upsample {

// clang-format off
inline constexpr Row forward_table[] = {
    {2 * kilobytes, {128, 1, 8, Hint::none, Hint::none}},
    {512 * kilobytes, {256, 1, 4, Hint::none, Hint::none}},
    {any_size, {256, 1, 8, Hint::none, Hint::evict_first}},
};
inline constexpr Row backward_table[] = {
    {128 * kilobytes, {256, 1, 4, Hint::none, Hint::none}},
    {4 * megabytes, {512, 1, 8, Hint::none, Hint::none}},
    {16 * megabytes, {256, 2, 8, Hint::evict_first, Hint::evict_first}},
    {any_size, {256, 4, 8, Hint::none, Hint::evict_first}},
};
// clang-format on

}  // namespace tally_upsample
