#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tally {

/// One choice of values for an entry's tunables, e.g. {threads: 256, blocks: 270}.
class Tuning {
 public:
  Tuning() = default;
  explicit Tuning(std::map<std::string, std::int64_t> values) : values_(std::move(values)) {}

  /// The value of that tunable; throws std::out_of_range where the entry did not declare it.
  std::int64_t operator[](const std::string& name) const { return values_.at(name); }

  const std::map<std::string, std::int64_t>& values() const { return values_; }
  auto operator<=>(const Tuning&) const = default;

  /// "threads:256/blocks:270", in the order of the names; empty without tunables.
  std::string text() const;

 private:
  std::map<std::string, std::int64_t> values_;
};

/// What a tunable's values must keep, with the words that a person is told.
struct Rule {
  std::string text;
  std::function<bool(std::int64_t)> holds;
};

/// A value must keep both rules.
Rule both(const Rule& first, const Rule& second);

/// Rules that kernels share.
namespace rules {
inline const Rule positive{"at least 1", [](std::int64_t v) { return v >= 1; }};
inline const Rule power_of_two{"a power of two", [](std::int64_t v) { return v >= 1 && (v & (v - 1)) == 0; }};
inline const Rule whole_warps{"a multiple of 32", [](std::int64_t v) { return v >= 32 && v % 32 == 0; }};
Rule between(std::int64_t low, std::int64_t high);
Rule one_of(std::vector<std::int64_t> values);
/// 1 … 1024: the threads that a block can have.
inline const Rule block_size{"between 1 and 1024", [](std::int64_t v) { return v >= 1 && v <= 1024; }};
}  // namespace rules

/// A named parameter of an entry.
struct Tunable {
  std::string name;
  std::vector<std::int64_t> values;  ///< worth trying; the first is the default
  Rule rule;
};

}  // namespace tally
