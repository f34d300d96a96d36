#pragma once

#include "kernel.h"

/// README.md beside this folder says what it was chosen from.
namespace tally_scan {

// clang-format off
inline constexpr Row table[] = {
    {2 * kilobytes, {Way::registers, 256, 1}},
    {8 * kilobytes, {Way::registers, 512, 1}},
    {16 * kilobytes, {Way::registers, 512, 1}},
    {256 * kilobytes, {Way::registers, 1024, 1}},
    {1 * megabytes, {Way::registers, 256, 2}},
    {8 * megabytes, {Way::registers, 256, 8}},
    {any_size, {Way::bulk, 128, 11, 8}},
};
// clang-format on

}  // namespace tally_scan
