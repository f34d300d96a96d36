#pragma once

#include "kernel.h"

/// Written by tests/variants/tune_tables.py; README.md beside this folder says from what.
namespace tally_upsample {

// clang-format off
inline constexpr Row forward_table[] = {
    {2 * kilobytes, {64, 1, 4, Hint::none, Hint::none}},
    {64 * kilobytes, {256, 1, 4, Hint::none, Hint::none}},
    {any_size, {256, 1, 8, Hint::none, Hint::evict_first}},
};
inline constexpr Row backward_table[] = {
    {4 * kilobytes, {256, 1, 4, Hint::none, Hint::none}},
    {16 * kilobytes, {32, 1, 8, Hint::none, Hint::none}},
    {512 * kilobytes, {256, 1, 8, Hint::none, Hint::none}},
    {4 * megabytes, {512, 1, 8, Hint::none, Hint::none}},
    {any_size, {256, 4, 8, Hint::none, Hint::evict_first}},
};
// clang-format on

}  // namespace tally_upsample
