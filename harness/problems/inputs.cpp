#include "harness/problems/inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "harness/problems/exact.h"

namespace tally {
namespace {

constexpr std::array names{std::string_view("uniform"), std::string_view("mixed_sign"),
                           std::string_view("cancelling"), std::string_view("wide_exponents"),
                           std::string_view("exact")};
constexpr std::array distributions{Distribution::uniform, Distribution::mixed_sign, Distribution::cancelling,
                                   Distribution::wide_exponents, Distribution::exact};

/// Bits of the integers drawn for ordinary distributions: as many as the type holds, few enough that the
/// exact sums of squares of 2^30 of them stay within 128 bits.
int value_bits(ScalarType type) {
  switch (type) {
    case ScalarType::float64:
    case ScalarType::int64:
      return 40;
    case ScalarType::int32:
      return 15;
    case ScalarType::float32:
      return 23;
    default:
      return precision_bits(type) - 1;
  }
}

}  // namespace

std::span<const Distribution> all_distributions() { return distributions; }
std::string_view name_of(Distribution distribution) { return names[static_cast<std::size_t>(distribution)]; }

std::optional<Distribution> distribution_named(std::string_view name) {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return distributions[static_cast<std::size_t>(found - names.begin())];
}

InputSpec values_input(ScalarType type, Distribution distribution, std::uint64_t seed, std::int64_t count,
                       int exact_bits) {
  InputSpec spec;
  spec.distribution = distribution;
  spec.seed = seed;
  spec.count = count;
  const int bits = value_bits(type);
  spec.bound = std::int64_t{1} << bits;
  spec.fraction_bits = is_floating(type) ? bits : 0;
  if (distribution == Distribution::wide_exponents) {
    const int significand_bits = std::min(bits / 2, 11);
    spec.exponent_range = bits - significand_bits + 1;
    spec.bound = (std::int64_t{1} << significand_bits) - 1;
  }
  if (distribution == Distribution::exact) {
    // At most 3 a window and 3 for each of the 32 elements at the ends.
    const std::int64_t budget = std::int64_t{1} << std::min(exact_bits, 40);
    const std::int64_t windows = std::max<std::int64_t>(1, budget / 3 - 33);
    spec.window = std::max<std::int64_t>(1, (count + windows - 1) / windows);
    spec.bound = 4;
    spec.fraction_bits = 0;
  }
  return spec;
}

InputSpec indices_input(std::uint64_t seed, std::int64_t count, std::int64_t positions,
                        std::int64_t distinct) {
  InputSpec spec;
  spec.kind = InputSpec::Kind::indices;
  spec.seed = seed;
  spec.count = count;
  spec.bound = positions;
  spec.distinct = std::clamp<std::int64_t>(distinct, 1, std::min(count, positions));
  // A stride near the golden section scatters neighbours; stepping to the next coprime keeps the map
  // one-to-one.
  std::int64_t stride =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(positions) * 0.618));
  while (std::gcd(stride, positions) != 1) ++stride;
  spec.window = stride;
  return spec;
}

void fill_range(const InputSpec& spec, ScalarType type, void* array, std::int64_t first, std::int64_t last) {
  if (type == ScalarType::int64) {
    auto* elements = static_cast<std::int64_t*>(array);
    for (std::int64_t i = first; i < last; ++i) elements[i] = integer_at(spec, i);
    return;
  }
  const double unit = std::ldexp(1.0, -spec.fraction_bits);
  for (std::int64_t i = first; i < last; ++i) {
    store_rounded(array, type, i, static_cast<double>(integer_at(spec, i)) * unit);
  }
}

void fill(const InputSpec& spec, ScalarType type, void* array) {
  on_all_cores(spec.count,
               [&](std::int64_t first, std::int64_t last) { fill_range(spec, type, array, first, last); });
}

}  // namespace tally
