#pragma once

#include "kernel.h"

/// Written by tests/variants/scan_best/tune_table.py; README.md beside this folder says from what.
namespace tally_scan {

// clang-format off
inline constexpr Row table_of_4_byte_elements[] = {
    {4 * kilobytes, {Way::registers, 256, 1, 4}},
    {8 * kilobytes, {Way::registers, 512, 1, 4}},
    {16 * kilobytes, {Way::registers, 512, 2, 8}},
    {256 * kilobytes, {Way::registers, 256, 1, 4}},
    {1 * megabytes, {Way::registers, 512, 1, 4}},
    {2 * megabytes, {Way::registers, 1024, 1, 4}},
    {8 * megabytes, {Way::registers, 256, 8, 8}},
    {16 * megabytes, {Way::bulk, 256, 11, 4}},
    {32 * megabytes, {Way::bulk, 256, 11, 2}},
    {any_size, {Way::bulk, 128, 11, 8}},
};
inline constexpr Row table_of_8_byte_elements[] = {
    {4 * kilobytes, {Way::registers, 256, 1, 4}},
    {8 * kilobytes, {Way::registers, 512, 1, 4}},
    {16 * kilobytes, {Way::registers, 512, 2, 8}},
    {256 * kilobytes, {Way::registers, 256, 1, 4}},
    {1 * megabytes, {Way::registers, 512, 1, 4}},
    {2 * megabytes, {Way::registers, 1024, 1, 4}},
    {4 * megabytes, {Way::registers, 512, 2, 4}},
    {8 * megabytes, {Way::bulk, 128, 11, 4}},
    {16 * megabytes, {Way::bulk, 256, 11, 4}},
    {any_size, {Way::bulk, 256, 11, 2}},
};
// clang-format on

}  // namespace tally_scan
