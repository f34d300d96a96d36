#pragma once

#include "plan.h"

/// Written by tests/variants/convolve_best/tune_table.py; README.md beside this folder says from what.
namespace tally_convolve {

// clang-format off
inline constexpr Row rows_of_float[] = {
    {8192, 45, {1, 128, 1}},
    {8192, 1448, {1, 32, 8}},
    {8192, INT64_MAX, {1, 32, 16}},
    {32768, 45, {1, 128, 1}},
    {32768, 5793, {1, 32, 8}},
    {32768, INT64_MAX, {1, 32, 16}},
    {131072, 7, {1, 128, 1}},
    {131072, INT64_MAX, {1, 32, 8}},
    {524288, 91, {1, 128, 1}},
    {524288, INT64_MAX, {3, 64, 4}},
    {2097152, 91, {3, 128, 1}},
    {2097152, INT64_MAX, {7, 64, 2}},
    {8388608, 181, {5, 128, 1}},
    {8388608, 362, {7, 64, 1}},
    {8388608, INT64_MAX, {7, 128, 1}},
    {INT64_MAX, 181, {5, 128, 1}},
    {INT64_MAX, 362, {7, 64, 1}},
    {INT64_MAX, 1448, {7, 128, 1}},
    {INT64_MAX, INT64_MAX, {7, 64, 2}},
};
inline constexpr Crossover crossovers_of_float[] = {
    {8192, 16946},
    {32768, 8844},
    {131072, 2388},
    {524288, 724},
    {2097152, 200},
    {8388608, 82},
    {INT64_MAX, 44},
};

inline constexpr Row rows_of_double[] = {
    {8192, 23, {1, 32, 8}},
    {8192, 362, {3, 32, 8}},
    {8192, INT64_MAX, {1, 32, 16}},
    {32768, INT64_MAX, {3, 32, 8}},
    {131072, 23, {3, 32, 8}},
    {131072, 91, {3, 64, 4}},
    {131072, INT64_MAX, {3, 32, 8}},
    {524288, 23, {1, 256, 1}},
    {524288, 91, {3, 64, 2}},
    {524288, 362, {7, 64, 2}},
    {524288, 724, {3, 64, 4}},
    {524288, INT64_MAX, {3, 32, 8}},
    {2097152, 45, {7, 64, 1}},
    {2097152, INT64_MAX, {7, 64, 2}},
    {8388608, INT64_MAX, {7, 64, 1}},
    {INT64_MAX, 45, {5, 128, 1}},
    {INT64_MAX, INT64_MAX, {7, 64, 1}},
};
inline constexpr Crossover crossovers_of_double[] = {
    {8192, 18282},
    {32768, 7432},
    {131072, 1496},
    {524288, 376},
    {2097152, 196},
    {8388608, 149},
    {INT64_MAX, 79},
};

// clang-format on

}  // namespace tally_convolve
