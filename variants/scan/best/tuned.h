#pragma once

#include "kernel.h"

/// README.md beside this folder says what it was chosen from.
namespace tally_scan {

// clang-format off
inline constexpr Row table[] = {
    {2 * kilobytes, {Way::registers, 128, 1}},
    {8 * kilobytes, {Way::registers, 512, 1}},
    {16 * kilobytes, {Way::registers, 512, 2}},
    {512 * kilobytes, {Way::registers, 256, 2, 4}},
    {16 * megabytes, {Way::registers, 256, 4, 4}},
    {any_size, {Way::bulk, 256, 11, 1}},
};
// clang-format on

}  // namespace tally_scan
