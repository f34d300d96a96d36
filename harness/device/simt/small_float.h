/// \file
/// Correctly rounded conversions between float, double and the two 16-bit formats, in integer arithmetic, so
/// that they are the same on every CPU. Round to nearest, ties to even; subnormals, infinities and NaN as
/// IEEE 754 has them.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "harness/device/simt/types.h"

namespace tally::simt {

/// IEEE binary16: 1 sign, 5 exponent, 10 fraction bits.
struct HalfFormat {
  static constexpr int exponent_bits = 5, fraction_bits = 10;
};

/// bfloat16: 1 sign, 8 exponent, 7 fraction bits.
struct Bfloat16Format {
  static constexpr int exponent_bits = 8, fraction_bits = 7;
};

/// The 16-bit pattern nearest to `value`, ties to even. Rounds once, also from double.
template <typename Format>
TALLY_SIMT_NOT_COUNTED std::uint16_t small_float_from(double value) {
  constexpr int fraction_bits = Format::fraction_bits;
  constexpr int bias = (1 << (Format::exponent_bits - 1)) - 1;
  constexpr std::uint16_t infinity = ((1 << Format::exponent_bits) - 1) << fraction_bits;
  const auto wide = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>((wide >> 63) << 15);
  const std::uint64_t magnitude = wide & ~(std::uint64_t{1} << 63);
  constexpr std::uint64_t wide_infinity = std::uint64_t{0x7ff} << 52;
  if (magnitude > wide_infinity) return 0x7fff;  // CUDA's canonical NaN
  if (magnitude == wide_infinity) return sign | infinity;
  const int wide_exponent = static_cast<int>(magnitude >> 52);
  if (wide_exponent == 0) return sign;  // zero, or a double subnormal: far below half of the least value
  const int exponent = wide_exponent - 1023 + bias;
  std::uint64_t significand = (magnitude & ((std::uint64_t{1} << 52) - 1)) | (std::uint64_t{1} << 52);
  int shift = 52 - fraction_bits;
  if (exponent <= 0) shift += 1 - exponent;  // subnormal result: fewer bits are kept
  if (shift > 54) return sign;
  const std::uint64_t kept = significand >> shift;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half_unit = std::uint64_t{1} << (shift - 1);
  const bool up = rest > half_unit || (rest == half_unit && (kept & 1) != 0);
  // The hidden bit adds one to the exponent, and a carry out of the fraction adds another: both are meant.
  const std::uint64_t base = exponent <= 0 ? 0 : static_cast<std::uint64_t>(exponent - 1) << fraction_bits;
  const std::uint64_t rounded = base + kept + (up ? 1 : 0);
  return rounded >= infinity ? static_cast<std::uint16_t>(sign | infinity)
                             : static_cast<std::uint16_t>(sign | rounded);
}

/// The exact value of a 16-bit pattern.
template <typename Format>
TALLY_SIMT_NOT_COUNTED float small_float_value(std::uint16_t bits) {
  if constexpr (Format::exponent_bits == 8) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  } else {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent == 0) {
      const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
      return sign != 0 ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  }
}

/// a·b + c as a double that rounds to any 16-bit format as the exact sum would: the double sum is rounded to
/// odd, which keeps the information that a second rounding needs. (Boldo and Melquiond, "Emulation of FMA and
/// correctly rounded sums", 2008.) The product of two 16-bit floats is exact in double.
TALLY_SIMT_NOT_COUNTED inline double fused_to_odd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (c - c_part);
  if (error == 0.0) return sum;
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  if ((bits & 1) != 0) return sum;
  const bool away_from_zero = (error > 0.0) == (sum > 0.0);
  return std::bit_cast<double>(away_from_zero ? bits + 1 : bits - 1);
}

}  // namespace tally::simt
