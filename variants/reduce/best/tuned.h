#pragma once

#include "kernel.h"

/// Written by tests/variants/reduce_best/tune_table.py; README.md beside this folder says from what.
namespace tally_reduce {

// clang-format off
inline constexpr Row table[] = {
    {2 * kilobytes, {Way::one_block, 128, 1}},
    {4 * kilobytes, {Way::one_block, 128, 2}},
    {8 * kilobytes, {Way::one_block, 128, 4}},
    {16 * kilobytes, {Way::one_block, 256, 4}},
    {32 * kilobytes, {Way::one_block, 512, 4}},
    {64 * kilobytes, {Way::one_block, 512, 8}},
    {256 * kilobytes, {Way::tile_each, 256, 8}},
    {1 * megabytes, {Way::tile_each, 256, 4}},
    {4 * megabytes, {Way::tile_each, 256, 8}},
    {8 * megabytes, {Way::blocks, 256, 8}, 1},
    {32 * megabytes, {Way::blocks, 256, 8}, 2},
    {any_size, {Way::blocks, 256, 8}, 4},
};
// clang-format on

}  // namespace tally_reduce
