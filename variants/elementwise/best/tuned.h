#pragma once

#include "kernel.h"

/// Written by tests/variants/tune_tables.py; README.md beside this folder says from what.
namespace tally_elementwise {

// clang-format off
inline constexpr Row table[] = {
    {6 * megabytes, {Way::loads, 512, 1, Hint::none, Hint::none, Next::when_stored}},
    {768 * megabytes, {Way::loads, 1024, 1, Hint::none, Hint::none, Next::when_loaded}},
    {any_size, {Way::copies, 1024, 1, Hint::none, Hint::none, Next::when_loaded}},
};
// clang-format on

}  // namespace tally_elementwise
