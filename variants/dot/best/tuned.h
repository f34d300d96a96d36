#pragma once

#include "../../reduce/best/plan.h"

/// Which kernel for how many bytes of one array. README.md beside this folder says from what; the first table
/// is written by tests/variants/dot_best/tune_table.py.
namespace tally_dot {

using tally_reduce::any_size;
using tally_reduce::kilobytes;
using tally_reduce::megabytes;
using tally_reduce::Row;
using tally_reduce::Way;

// clang-format off
/// Arrays that lie alike within 16 bytes.
inline constexpr Row table[] = {
    {2 * kilobytes, {Way::one_block, 128, 1}},
    {4 * kilobytes, {Way::one_block, 128, 2}},
    {8 * kilobytes, {Way::one_block, 256, 2}},
    {16 * kilobytes, {Way::one_block, 512, 2}},
    {32 * kilobytes, {Way::one_block, 512, 4}},
    {128 * kilobytes, {Way::tile_each, 256, 4}},
    {256 * kilobytes, {Way::tile_each, 128, 2}},
    {512 * kilobytes, {Way::tile_each, 256, 2}},
    {2 * megabytes, {Way::tile_each, 256, 4}},
    {4 * megabytes, {Way::blocks, 256, 4}, 1},
    {16 * megabytes, {Way::blocks, 256, 4}, 2},
    {128 * megabytes, {Way::blocks, 256, 4}, 4},
    {any_size, {Way::copies, 256, 3, 16 * 1024}, 2},
};

/// Arrays that do not: fewer kernels to compile for what is rare.
inline constexpr Row table_shifted[] = {
    {8 * kilobytes, {Way::one_block, 256, 2}},
    {32 * kilobytes, {Way::one_block, 512, 4}},
    {2 * megabytes, {Way::tile_each, 256, 4}},
    {16 * megabytes, {Way::blocks, 256, 4}, 2},
    {any_size, {Way::blocks, 256, 4}, 4},
};
// clang-format on

}  // namespace tally_dot
