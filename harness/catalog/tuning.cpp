#include "harness/catalog/tuning.h"

#include <algorithm>

namespace tally {

std::string Tuning::text() const {
  std::string text;
  for (const auto& [name, value] : values_)
    text += (text.empty() ? "" : "/") + name + ":" + std::to_string(value);
  return text;
}

Rule both(const Rule& first, const Rule& second) {
  return {first.text + " and " + second.text,
          [one = first.holds, other = second.holds](std::int64_t v) { return one(v) && other(v); }};
}

namespace rules {

Rule between(std::int64_t low, std::int64_t high) {
  return {"between " + std::to_string(low) + " and " + std::to_string(high),
          [low, high](std::int64_t v) { return v >= low && v <= high; }};
}

Rule one_of(std::vector<std::int64_t> values) {
  std::string text;
  for (const std::int64_t value : values) text += (text.empty() ? "one of " : ", ") + std::to_string(value);
  return {text, [values = std::move(values)](std::int64_t v) {
            return std::find(values.begin(), values.end(), v) != values.end();
          }};
}

}  // namespace rules
}  // namespace tally
