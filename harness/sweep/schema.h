#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tally {

/// No size is above it.
constexpr std::int64_t most_elements = std::int64_t{1} << 50;

/// The JSON Schema (draft 2020-12) of configs, made from the families' knobs and the settings' own defaults.
/// It is what the harness itself validates by, and configs/schema.json is its text.
nlohmann::ordered_json config_schema();

/// Where a value breaks its schema: the JSON pointer, and what is wrong there and what would be right.
struct SchemaError {
  std::string pointer;
  std::string message;
};

/// The first place where `value` breaks `schema`, or nothing. Understands the part of JSON Schema that
/// config_schema() uses: type, enum, const, minimum, maximum, exclusiveMinimum, minLength, items, minItems,
/// properties, required, additionalProperties, anyOf, allOf, if/then and $ref into the root's $defs. Other
/// keywords that constrain values throw std::logic_error, so that none is passed over.
std::optional<SchemaError> first_error(const nlohmann::ordered_json& schema, const nlohmann::json& value);

}  // namespace tally
