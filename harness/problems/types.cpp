#include "harness/problems/types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tally {
namespace {

struct Facts {
  ScalarType type;
  std::string_view name;
  std::size_t size;
  bool floating;
  int precision;
  int minimum_exponent;  // of the smallest normal value, 2^minimum_exponent
};

constexpr std::array facts{
    Facts{ScalarType::float32, "float32", 4, true, 24, -126},
    Facts{ScalarType::float64, "float64", 8, true, 53, -1022},
    Facts{ScalarType::float16, "float16", 2, true, 11, -14},
    Facts{ScalarType::bfloat16, "bfloat16", 2, true, 8, -126},
    Facts{ScalarType::int8, "int8", 1, false, 7, 0},
    Facts{ScalarType::int32, "int32", 4, false, 31, 0},
    Facts{ScalarType::int64, "int64", 8, false, 63, 0},
};

constexpr std::array types{ScalarType::float32,  ScalarType::float64, ScalarType::float16,
                           ScalarType::bfloat16, ScalarType::int8,    ScalarType::int32,
                           ScalarType::int64};

const Facts& facts_of(ScalarType type) { return facts[static_cast<std::size_t>(type)]; }

template <typename T>
T load(const void* array, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(array) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}

template <typename T>
void store(void* array, std::int64_t index, T value) {
  std::memcpy(static_cast<char*>(array) + index * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
}

double half_bits_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude =
        fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(fraction + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// Rounds |value| to a multiple of its ulp in `type`, ties to even. The double's own arithmetic does it
/// exactly.
double round_magnitude(ScalarType type, double magnitude) {
  const double ulp = ulp_at(type, magnitude);
  return std::nearbyint(magnitude / ulp) * ulp;
}

std::uint16_t double_to_half_bits(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  const double magnitude =
      std::isinf(value) ? value * value : round_magnitude(ScalarType::float16, std::fabs(value));
  if (magnitude > 65504) return sign | 0x7c00;
  if (magnitude == 0) return sign;
  int exponent = std::ilogb(magnitude);
  if (exponent < -14) return sign | static_cast<std::uint16_t>(std::ldexp(magnitude, 24));
  const auto fraction = static_cast<std::uint16_t>(std::ldexp(magnitude, 10 - exponent)) & 0x3ff;
  return static_cast<std::uint16_t>(sign | ((exponent + 15) << 10) | fraction);
}

std::uint16_t double_to_bfloat_bits(double value) {
  if (std::isnan(value)) return 0x7fc0;
  const double rounded = std::copysign(
      std::isinf(value) ? value * value : round_magnitude(ScalarType::bfloat16, std::fabs(value)), value);
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(rounded)) >> 16);
}

}  // namespace

std::span<const ScalarType> all_scalar_types() { return types; }
std::string_view name_of(ScalarType type) { return facts_of(type).name; }
std::size_t size_of(ScalarType type) { return facts_of(type).size; }
bool is_floating(ScalarType type) { return facts_of(type).floating; }
int precision_bits(ScalarType type) { return facts_of(type).precision; }
double unit_roundoff(ScalarType type) {
  return is_floating(type) ? std::ldexp(1.0, -precision_bits(type)) : 0.0;
}

std::optional<ScalarType> scalar_type_named(std::string_view name) {
  for (const Facts& fact : facts) {
    if (fact.name == name) return fact.type;
  }
  return std::nullopt;
}

ScalarType accumulator_of(ScalarType type) {
  switch (type) {
    case ScalarType::float16:
    case ScalarType::bfloat16:
      return ScalarType::float32;
    case ScalarType::int8:
      return ScalarType::int32;
    default:
      return type;
  }
}

double load_as_double(const void* array, ScalarType type, std::int64_t index) {
  switch (type) {
    case ScalarType::float32:
      return load<float>(array, index);
    case ScalarType::float64:
      return load<double>(array, index);
    case ScalarType::float16:
      return half_bits_to_double(load<std::uint16_t>(array, index));
    case ScalarType::bfloat16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(array, index)) << 16);
    default:
      return static_cast<double>(load_as_integer(array, type, index));
  }
}

std::int64_t load_as_integer(const void* array, ScalarType type, std::int64_t index) {
  switch (type) {
    case ScalarType::int8:
      return load<std::int8_t>(array, index);
    case ScalarType::int32:
      return load<std::int32_t>(array, index);
    default:
      return load<std::int64_t>(array, index);
  }
}

void store_rounded(void* array, ScalarType type, std::int64_t index, double value) {
  switch (type) {
    case ScalarType::float32:
      return store(array, index, static_cast<float>(value));
    case ScalarType::float64:
      return store(array, index, value);
    case ScalarType::float16:
      return store(array, index, double_to_half_bits(value));
    case ScalarType::bfloat16:
      return store(array, index, double_to_bfloat_bits(value));
    case ScalarType::int8:
      return store(array, index, static_cast<std::int8_t>(value));
    case ScalarType::int32:
      return store(array, index, static_cast<std::int32_t>(value));
    case ScalarType::int64:
      return store(array, index, static_cast<std::int64_t>(value));
  }
}

double ulp_at(ScalarType type, double value) {
  if (!is_floating(type)) return 1;
  const Facts& fact = facts_of(type);
  const int exponent =
      value == 0 ? fact.minimum_exponent : std::max(std::ilogb(value), fact.minimum_exponent);
  return std::ldexp(1.0, exponent - fact.precision + 1);
}

}  // namespace tally
