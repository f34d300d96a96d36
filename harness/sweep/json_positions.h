#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace tally {

/// Lines (from 1) of the keys and array elements of a JSON text, by JSON pointer.
using JsonPositions = std::map<std::string, int>;

/// A JSON text with the lines of its parts.
struct PositionedJson {
  nlohmann::json value;
  JsonPositions lines;
};

/// The text is not JSON, names a key twice or is nested absurdly deep. what() says what is wrong, without a
/// place.
class JsonTextError : public std::runtime_error {
 public:
  JsonTextError(const std::string& message, int line, int column)
      : std::runtime_error(message), line(line), column(column) {}
  int line;
  int column;  ///< both from 1; columns count bytes
};

/// Parses JSON as RFC 8259 has it, and refuses what nlohmann::json::parse lets pass: duplicate keys.
PositionedJson parse_with_positions(const std::string& text);

/// The line of the pointer's value, or of the nearest part around it that has one.
std::optional<int> line_of(const JsonPositions& lines, std::string pointer);

}  // namespace tally
