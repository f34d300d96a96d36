#include "harness/catalog/entry.h"

#include <algorithm>

namespace tally {

bool Entry::runs_on(DeviceKind device) const {
  return std::any_of(
      implementations.begin(), implementations.end(),
      [device](const Implementation& implementation) { return implementation.device == device; });
}

Tuning Entry::default_tuning() const {
  std::map<std::string, std::int64_t> values;
  for (const Tunable& tunable : tunables) values[tunable.name] = tunable.values.front();
  return Tuning(std::move(values));
}

std::optional<std::string> Entry::refuses(const Tuning& tuning) const {
  for (const Tunable& tunable : tunables) {
    const std::int64_t value = tuning[tunable.name];
    if (!tunable.rule.holds(value)) {
      return tunable.name + " = " + std::to_string(value) + " is impossible: " + full_name() + " takes " +
             tunable.rule.text;
    }
  }
  for (const Need& need : tuning_needs) {
    if (!need.holds(ProblemKey{}, tuning)) {
      return tuning.text() + " is impossible: " + full_name() + " " + need.reason;
    }
  }
  return std::nullopt;
}

bool Entry::can_do(const Problem& problem) const {
  const ProblemKey& key = problem.key();
  if (std::find(types.begin(), types.end(), key.type) == types.end()) return false;
  for (const auto& [knob, values] : knobs) {
    const auto asked = key.knobs.find(knob);
    if (asked != key.knobs.end() && !values.contains(to_string(asked->second))) return false;
  }
  // What it was compiled for says more than what it declares: a sum-only set-up cannot do min.
  bool is_compiled = false;
  for (const Implementation& implementation : implementations) {
    if (implementation.type != key.type) continue;
    is_compiled = true;
    if (implementation.serves(problem)) return true;
  }
  return !is_compiled;
}

std::optional<std::string> Entry::cannot_take(const ProblemKey& key, const Tuning& tuning) const {
  for (const Need& need : needs) {
    if (!need.holds(key, tuning)) return need.reason;
  }
  return std::nullopt;
}

const Implementation* Entry::implementation_for(DeviceKind device, const Problem& problem) const {
  for (const Implementation& implementation : implementations) {
    if (implementation.device == device && implementation.type == problem.key().type &&
        implementation.serves(problem)) {
      return &implementation;
    }
  }
  return nullptr;
}

}  // namespace tally
