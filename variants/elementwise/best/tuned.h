#pragma once

#include "kernel.h"

/// Written by tests/variants/tune_tables.py; README.md beside this folder says from what.
namespace tally_elementwise {

// clang-format off
inline constexpr Row table[] = {
    {384 * kilobytes, {Way::loads, 128, 1, Hint::none, Hint::none}},
    {3 * megabytes, {Way::loads, 256, 1, Hint::none, Hint::none}},
    {24 * megabytes, {Way::loads, 512, 1, Hint::evict_first, Hint::none}},
    {96 * megabytes, {Way::loads, 256, 2, Hint::none, Hint::evict_first}},
    {768 * megabytes, {Way::loads, 1024, 1, Hint::none, Hint::none}},
    {any_size, {Way::copies, 1024, 1, Hint::none, Hint::none}},
};
// clang-format on

}  // namespace tally_elementwise
