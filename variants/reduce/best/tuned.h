#pragma once

#include "kernel.h"

/// Written by tests/variants/reduce_best/tune_table.py; README.md beside this folder says from what.
namespace tally_reduce {

// clang-format off
inline constexpr Row table[] = {
    {1 * kilobytes, {Way::one_block, 256, 1}},
    {2 * kilobytes, {Way::one_block, 128, 1}},
    {4 * kilobytes, {Way::one_block, 256, 1}},
    {8 * kilobytes, {Way::one_block, 256, 2}},
    {16 * kilobytes, {Way::one_block, 512, 2}},
    {32 * kilobytes, {Way::one_block, 512, 4}},
    {64 * kilobytes, {Way::one_block, 512, 8}},
    {128 * kilobytes, {Way::tile_each, 256, 4}},
    {256 * kilobytes, {Way::tile_each, 256, 8}},
    {2 * megabytes, {Way::tile_each, 256, 4}},
    {4 * megabytes, {Way::tile_each, 512, 8}},
    {8 * megabytes, {Way::blocks, 256, 8}, 1},
    {16 * megabytes, {Way::blocks, 256, 8}, 2},
    {32 * megabytes, {Way::blocks, 256, 8}, 5},
    {64 * megabytes, {Way::blocks, 256, 8}, 6},
    {256 * megabytes, {Way::blocks, 256, 8}, 4},
    {any_size, {Way::copies, 256, 6, 32 * 1024}, 1},
};
// clang-format on

}  // namespace tally_reduce
