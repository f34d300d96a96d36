#pragma once

#include <cstdint>

/// Division by a number that is fixed for a launch, as a multiplication and a shift.
namespace tally_upsample {

/// Quotients of numbers below 2^31 by one divisor from 1 to 2^31. With 2^(s-1) < divisor <= 2^s and
/// multiplier = ceil(2^(31+s) / divisor), which fits 32 bits, x * multiplier / 2^(31+s) exceeds x / divisor
/// by less than x / 2^31 / divisor: too little to reach the next whole number.
struct Division {
  std::uint32_t multiplier;
  std::uint32_t shift;

  static constexpr Division by(std::uint32_t divisor) {
    std::uint32_t shift = 0;
    while ((std::uint64_t{1} << shift) < divisor) ++shift;
    const std::uint64_t power = std::uint64_t{1} << (31 + shift);
    return {static_cast<std::uint32_t>((power + divisor - 1) / divisor), shift};
  }

#if defined(__CUDACC__)
  __host__ __device__
#endif
      constexpr std::uint32_t
      quotient(std::uint32_t x) const {
    return static_cast<std::uint32_t>((std::uint64_t{2 * x} * multiplier) >> 32) >> shift;
  }
};

}  // namespace tally_upsample
