#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tally {

/// Element types of problems, by the names that configs and results use.
enum class ScalarType : std::uint8_t { float32, float64, float16, bfloat16, int8, int32, int64 };

/// All types, in the order in which they are listed to people.
std::span<const ScalarType> all_scalar_types();

/// "float32", "int8", …
std::string_view name_of(ScalarType type);

/// The type of that name, or nothing.
std::optional<ScalarType> scalar_type_named(std::string_view name);

/// Bytes of one element.
std::size_t size_of(ScalarType type);

bool is_floating(ScalarType type);

/// Bits of the significand, the hidden one included: 24 for float32. Value bits without the sign for
/// integers.
int precision_bits(ScalarType type);

/// u, half the distance from 1 to the next value: 2^-24 for float32; 0 for integers.
double unit_roundoff(ScalarType type);

/// The type in which a sum of `type` is kept and answered: float16 and bfloat16 add up in float32, int8 in
/// int32.
ScalarType accumulator_of(ScalarType type);

/// Element `index` of an array of `type` as a double; exact for all types but large int64.
double load_as_double(const void* array, ScalarType type, std::int64_t index);

/// Element `index` of an integer array.
std::int64_t load_as_integer(const void* array, ScalarType type, std::int64_t index);

/// Stores `value`, rounded to nearest even where it is not representable.
void store_rounded(void* array, ScalarType type, std::int64_t index, double value);

/// Distance between `value`'s neighbours in `type` at its magnitude; the smallest subnormal at 0; 1 for
/// integers.
double ulp_at(ScalarType type, double value);

/// The C++ type's ScalarType. The half types are added where a device defines them (harness/device/launch.h).
template <typename T>
struct ScalarTypeOf;
template <>
struct ScalarTypeOf<float> {
  static constexpr ScalarType value = ScalarType::float32;
};
template <>
struct ScalarTypeOf<double> {
  static constexpr ScalarType value = ScalarType::float64;
};
template <>
struct ScalarTypeOf<std::int8_t> {
  static constexpr ScalarType value = ScalarType::int8;
};
template <>
struct ScalarTypeOf<std::int32_t> {
  static constexpr ScalarType value = ScalarType::int32;
};
template <>
struct ScalarTypeOf<std::int64_t> {
  static constexpr ScalarType value = ScalarType::int64;
};

}  // namespace tally
