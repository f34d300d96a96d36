#include <algorithm>
#include <cmath>
#include <regex>
#include <set>
#include <stdexcept>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/sweep/schema.h"

namespace tally {
namespace {

using Schema = nlohmann::ordered_json;
using Pointer = nlohmann::json::json_pointer;

struct Found {
  Pointer at;
  std::size_t depth;
  std::string message;
};

std::string joined(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : ", ";
    text += words[i];
  }
  return text;
}

/// The value as JSON, short enough for a line.
std::string shown(const nlohmann::json& value) {
  constexpr std::size_t longest = 60;
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= longest ? text : text.substr(0, longest) + "…";
}

std::string shown_number(const Schema& number) {
  return number.is_number_float() ? shown(number.get<double>()) : number.dump();
}

bool is_integer(const nlohmann::json& value) {
  if (value.is_number_integer()) return true;
  // JSON knows no integers: 1e6 is one, as JSON Schema has it.
  return value.is_number_float() && std::nearbyint(value.get<double>()) == value.get<double>();
}

bool has_type(const std::string& type, const nlohmann::json& value) {
  if (type == "integer") return is_integer(value);
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  throw std::logic_error("schema: unknown type " + type);
}

class Validator {
 public:
  explicit Validator(const Schema& root) : root_(root) {}

  /// The first place where value breaks schema.
  std::optional<Found> error(const Schema& schema, const nlohmann::json& value, const Pointer& at,
                             std::size_t depth) const {
    refuse_unknown_keywords(schema);
    const auto wrong = [&](const std::string& message) { return Found{at, depth, message}; };
    const auto no = [&] { return wrong("must be " + expected(schema) + ", not " + shown(value)); };

    if (schema.contains("$ref")) return error(referred(schema), value, at, depth);
    if (schema.contains("type") && !has_type(schema.at("type"), value)) return no();
    if (schema.contains("const") && schema.at("const") != Schema(value)) return no();
    if (schema.contains("enum")) {
      const Schema& names = schema.at("enum");
      if (std::find(names.begin(), names.end(), Schema(value)) == names.end()) {
        return wrong(shown(value) + " is not known" +
                     suggestion(value, names.get<std::vector<std::string>>()));
      }
    }
    if (value.is_number() && !within_bounds(schema, value)) return no();
    if (value.is_string() && !string_is_right(schema, value)) return no();
    if (value.is_array()) {
      if (value.size() < schema.value("minItems", std::size_t{0})) return no();
      if (auto found = error_in_items(schema, value, at, depth)) return found;
    }
    if (value.is_object()) {
      if (auto found = error_in_object(schema, value, at, depth)) return found;
    }
    if (schema.contains("anyOf")) {
      if (auto found = error_in_any(schema, value, at, depth)) return found;
    }
    for (const Schema& part : schema.value("allOf", Schema::array())) {
      if (part.contains("if") && error(part.at("if"), value, at, depth)) continue;
      if (auto found = error(part.contains("if") ? part.at("then") : part, value, at, depth)) return found;
    }
    return std::nullopt;
  }

 private:
  static void refuse_unknown_keywords(const Schema& schema) {
    static const std::set<std::string> known = {
        "$schema", "$defs",    "$ref",       "title",    "description",          "default",   "type",
        "enum",    "const",    "minimum",    "maximum",  "exclusiveMinimum",     "minLength", "pattern",
        "items",   "minItems", "properties", "required", "additionalProperties", "anyOf",     "allOf",
        "if",      "then"};
    for (const auto& [keyword, rest] : schema.items()) {
      if (!known.contains(keyword))
        throw std::logic_error("schema: keyword " + keyword + " is not understood");
    }
  }

  const Schema& referred(const Schema& schema) const {
    const auto reference = schema.at("$ref").get<std::string>();
    return root_.at(Schema::json_pointer(reference.substr(1)));
  }

  static bool within_bounds(const Schema& schema, const nlohmann::json& value) {
    const auto number = value.get<double>();
    return (!schema.contains("minimum") || number >= schema.at("minimum").get<double>()) &&
           (!schema.contains("maximum") || number <= schema.at("maximum").get<double>()) &&
           (!schema.contains("exclusiveMinimum") || number > schema.at("exclusiveMinimum").get<double>());
  }

  static bool string_is_right(const Schema& schema, const nlohmann::json& value) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() < schema.value("minLength", std::size_t{0})) return false;
    return !schema.contains("pattern") ||
           std::regex_search(text, std::regex(schema.at("pattern").get<std::string>()));
  }

  std::optional<Found> error_in_items(const Schema& schema, const nlohmann::json& value, const Pointer& at,
                                      std::size_t depth) const {
    if (!schema.contains("items")) return std::nullopt;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (auto found = error(schema.at("items"), value[i], at / i, depth + 1)) return found;
    }
    return std::nullopt;
  }

  std::optional<Found> error_in_object(const Schema& schema, const nlohmann::json& value, const Pointer& at,
                                       std::size_t depth) const {
    const Schema properties = schema.value("properties", Schema::object());
    const Schema others = schema.value("additionalProperties", Schema(true));
    for (const auto& [name, part] : value.items()) {
      if (properties.contains(name) || others == Schema(true)) continue;
      if (others != Schema(false)) {
        if (auto found = error(others, part, at / name, depth + 1)) return found;
        continue;
      }
      std::vector<std::string> names;
      for (const auto& [known, rest] : properties.items()) names.push_back(known);
      return Found{at / name, depth + 1, "unknown key" + suggestion(name, names)};
    }
    for (const Schema& name : schema.value("required", Schema::array())) {
      if (!value.contains(name.get<std::string>())) {
        return Found{at, depth, "the key " + name.dump() + " is missing"};
      }
    }
    for (const auto& [name, property] : properties.items()) {
      if (!value.contains(name)) continue;
      if (auto found = error(property, value.at(name), at / name, depth + 1)) return found;
    }
    return std::nullopt;
  }

  /// Of several ways to be right, the one that the value comes furthest on is the one that was meant.
  std::optional<Found> error_in_any(const Schema& schema, const nlohmann::json& value, const Pointer& at,
                                    std::size_t depth) const {
    std::optional<Found> furthest;
    for (const Schema& way : schema.at("anyOf")) {
      auto found = error(way, value, at, depth);
      if (!found) return std::nullopt;
      if (found->depth > depth && (!furthest || found->depth > furthest->depth)) furthest = std::move(found);
    }
    if (furthest) return furthest;
    for (const Schema& way : schema.at("anyOf")) {
      // The same kind of value in itself: its own complaint says more than all ways together.
      if (way.contains("enum") && value.is_string()) return error(way, value, at, depth);
      if (way.value("type", "") == "object" && value.is_object()) return error(way, value, at, depth);
    }
    return Found{at, depth, "must be " + expected(schema) + ", not " + shown(value)};
  }

  /// "; did you mean "sum"?" or the names there are.
  static std::string suggestion(const nlohmann::json& word, const std::vector<std::string>& names) {
    const std::string nearest = word.is_string() ? nearest_word(word.get<std::string>(), names) : "";
    const std::string known = "; known: " + joined(names, ", ");
    return nearest.empty() ? known : "; did you mean " + shown(nearest) + "?";
  }

  std::string expected(const Schema& schema) const {
    if (schema.contains("$ref")) return expected(referred(schema));
    if (schema.contains("const")) return schema.at("const").dump();
    if (schema.contains("pattern")) {
      std::string text =
          schema.value("description", "a string of the pattern " + schema.at("pattern").dump());
      if (text.ends_with('.')) text.pop_back();
      return text;
    }
    if (schema.contains("enum"))
      return "one of " + joined(schema.at("enum").get<std::vector<std::string>>(), ", ");
    if (schema.contains("anyOf")) {
      std::vector<std::string> ways;
      for (const Schema& way : schema.at("anyOf")) ways.push_back(expected(way));
      return joined(ways, " or ");
    }
    const std::string type = schema.value("type", "");
    if (type == "integer") return "a whole number" + bounds(schema);
    if (type == "number") return "a number" + bounds(schema);
    if (type == "string") return schema.contains("minLength") ? "a string that is not empty" : "a string";
    if (type == "boolean") return "true or false";
    if (type == "object") return "an object";
    return schema.contains("minItems") ? "a list that is not empty" : "a list";
  }

  static std::string bounds(const Schema& schema) {
    const bool low = schema.contains("minimum");
    const bool high = schema.contains("maximum");
    if (low && high)
      return " from " + shown_number(schema.at("minimum")) + " to " + shown_number(schema.at("maximum"));
    std::vector<std::string> limits;
    if (schema.contains("exclusiveMinimum"))
      limits.push_back("above " + shown_number(schema.at("exclusiveMinimum")));
    if (low) limits.push_back("of at least " + shown_number(schema.at("minimum")));
    if (high) limits.push_back("at most " + shown_number(schema.at("maximum")));
    return limits.empty() ? "" : " " + joined(limits, " and ");
  }

  const Schema& root_;
};

}  // namespace

std::optional<SchemaError> first_error(const nlohmann::ordered_json& schema, const nlohmann::json& value) {
  const auto found = Validator(schema).error(schema, value, Pointer(), 0);
  if (!found) return std::nullopt;
  return SchemaError{found->at.to_string(), found->message};
}

}  // namespace tally
