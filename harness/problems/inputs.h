#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/problems/function.h"
#include "harness/problems/types.h"

namespace tally {

/// How the values of an input are drawn. Every value is an integer times one power of two that is exact in
/// the element type, so that the exact answer of a problem is integer arithmetic.
enum class Distribution : std::uint8_t {
  uniform,         ///< [0, 1) in floating types, small non-negative integers otherwise: nothing cancels
  mixed_sign,      ///< (-1, 1), or small integers of both signs
  cancelling,      ///< neighbours that cancel almost wholly: a condition number of the order of 2^precision
  wide_exponents,  ///< positive values whose exponents differ by many bits
  exact,           ///< a few small integers among zeros: every partial sum is representable in any order
};

std::span<const Distribution> all_distributions();
std::string_view name_of(Distribution distribution);
std::optional<Distribution> distribution_named(std::string_view name);

/// An input as a pure function of (seed, index), the same on every device. Plain data, passed to kernels by
/// value. Element i has the value integer_at(spec, i) * 2^-fraction_bits.
struct InputSpec {
  enum class Kind : std::uint8_t { values, indices };

  Kind kind = Kind::values;
  Distribution distribution = Distribution::uniform;
  std::uint64_t seed = 0;
  std::int64_t count = 0;     ///< elements
  std::int64_t bound = 1;     ///< |integer| < bound; for indices: the number of positions, index < bound
  int fraction_bits = 0;      ///< the power of two
  int exponent_range = 1;     ///< wide_exponents: the integers are significand << e with e < exponent_range
  std::int64_t window = 1;    ///< exact: one value other than zero in each window of so many elements
  std::int64_t distinct = 1;  ///< indices: how many different positions occur
  std::int64_t offset = 0;    ///< added to every integer: a first position, or with bound 1 a constant
  std::int64_t period = 0;    ///< not 0: element i equals element i mod period
};

/// Values of `type`. With `exact`, the magnitudes of all `count` values add up to at most 2^exact_bits, so
/// that any accumulator with so many bits holds every partial sum.
InputSpec values_input(ScalarType type, Distribution distribution, std::uint64_t seed, std::int64_t count,
                       int exact_bits);

/// `count` positions in [0, positions) of which `distinct` differ (1: all the same; positions >= count: all
/// different when distinct == count). The positions are scattered, not in order.
InputSpec indices_input(std::uint64_t seed, std::int64_t count, std::int64_t positions,
                        std::int64_t distinct);

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
TALLY_FUNCTION std::uint64_t mixed_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

namespace detail {
/// value % divisor. A division of 64 bits takes longer than all else that an element needs; most divisors are
/// powers of two, and many numbers are small.
TALLY_FUNCTION std::uint64_t remainder(std::uint64_t value, std::uint64_t divisor) {
  if ((divisor & (divisor - 1)) == 0) return value & (divisor - 1);
  if (((value | divisor) >> 32) == 0)
    return static_cast<std::uint32_t>(value) % static_cast<std::uint32_t>(divisor);
  return value % divisor;
}

/// value / divisor, likewise.
TALLY_FUNCTION std::uint64_t quotient(std::uint64_t value, std::uint64_t divisor) {
  if (((value | divisor) >> 32) == 0)
    return static_cast<std::uint32_t>(value) / static_cast<std::uint32_t>(divisor);
  return value / divisor;
}

/// The integer behind element `index`, before `offset` and `period`.
TALLY_FUNCTION std::int64_t drawn_integer(const InputSpec& spec, std::int64_t index) {
  const auto position = static_cast<std::uint64_t>(index);
  const std::uint64_t bits = mixed_bits(spec.seed * 0xd1342543de82ef95ull + position);
  const auto bound = static_cast<std::uint64_t>(spec.bound);
  const auto below_bound = static_cast<std::int64_t>(remainder(bits >> 16, bound));
  if (spec.kind == InputSpec::Kind::indices) {
    // Multiplying by an odd constant that shares no factor with `bound` would permute; a stride does it as
    // well and keeps "all different" exact: slot s goes to position (s * stride + start) mod bound, stride
    // coprime to bound.
    const auto slot = position % static_cast<std::uint64_t>(spec.distinct);
    return static_cast<std::int64_t>((slot * static_cast<std::uint64_t>(spec.window) + spec.seed % bound) %
                                     bound);
  }
  switch (spec.distribution) {
    case Distribution::uniform:
      return below_bound;
    case Distribution::mixed_sign:
      return (bits & 1) != 0 ? below_bound : -below_bound;
    case Distribution::cancelling: {
      const std::uint64_t pair = mixed_bits(spec.seed * 0xd1342543de82ef95ull + (position >> 1));
      const auto magnitude = static_cast<std::int64_t>(remainder(pair >> 16, bound));
      if ((position & 1) == 0) return magnitude;
      return magnitude == 0 ? 0 : -(magnitude - static_cast<std::int64_t>(bits & 1));
    }
    case Distribution::wide_exponents:
      return (below_bound + 1) << remainder(bits & 0xffff, static_cast<std::uint64_t>(spec.exponent_range));
    case Distribution::exact: {
      // The ends of the array always count: a kernel that drops a head or a tail is caught at any size.
      const bool at_an_end = index < 16 || index >= spec.count - 16;
      const auto window = static_cast<std::uint64_t>(spec.window);
      const std::uint64_t number = quotient(position, window);
      const std::uint64_t chosen = remainder(mixed_bits(~spec.seed + number), window);
      if (!at_an_end && position - number * window != chosen) return 0;
      const auto magnitude = static_cast<std::int64_t>(1 + (bits >> 8) % 3);
      return (bits & 1) != 0 ? magnitude : -magnitude;
    }
  }
  return 0;
}
}  // namespace detail

/// The integer behind element `index`.
TALLY_FUNCTION std::int64_t integer_at(const InputSpec& spec, std::int64_t index) {
  return spec.offset + detail::drawn_integer(spec, spec.period == 0 ? index : index % spec.period);
}

/// Writes elements [first, last) of the array (of elements of `type`), on the calling thread.
void fill_range(const InputSpec& spec, ScalarType type, void* array, std::int64_t first, std::int64_t last);

/// Fills the whole array, `count` elements, on all cores.
void fill(const InputSpec& spec, ScalarType type, void* array);

}  // namespace tally
