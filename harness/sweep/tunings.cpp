#include "harness/sweep/tunings.h"

#include <algorithm>
#include <set>

#include "harness/catalog/catalog.h"

namespace tally {
namespace {

std::string pointer_of_grid(const Sweep& sweep, const Run& run, std::size_t index) {
  const nlohmann::json& tunings = sweep.json.at(nlohmann::json::json_pointer(run.pointer)).at("tunings");
  return run.pointer + "/tunings" + (tunings.is_array() ? "/" + std::to_string(index) : "");
}

std::string pointer_to(const std::string& grid, const std::string& tunable) {
  return (nlohmann::json::json_pointer(grid) / tunable).to_string();
}

const Tunable* find(const Entry& entry, const std::string& name) {
  for (const Tunable& tunable : entry.tunables) {
    if (tunable.name == name) return &tunable;
  }
  return nullptr;
}

void refuse_unknown(const Sweep& sweep, const std::string& name, const std::string& pointer,
                    const std::vector<Selected>& entries) {
  std::set<std::string> known;
  for (const Selected& selected : entries) {
    for (const Tunable& tunable : selected.entry->tunables) known.insert(tunable.name);
  }
  if (known.contains(name)) return;
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string nearest = nearest_word(name, names);
  std::string there_are;
  for (const std::string& other : names) there_are += (there_are.empty() ? "; they have " : ", ") + other;
  throw sweep.error_at(pointer, "none of the run's entries has a tunable \"" + name + "\"" +
                                    (nearest.empty() ? there_are : "; did you mean \"" + nearest + "\"?"));
}

void refuse_impossible_value(const Sweep& sweep, const std::string& name, std::int64_t value,
                             const std::string& pointer, const std::vector<Selected>& entries) {
  std::string rules;
  for (const Selected& selected : entries) {
    const Tunable* const tunable = find(*selected.entry, name);
    if (tunable == nullptr) continue;
    if (tunable->rule.holds(value)) return;
    rules += (rules.empty() ? "" : "; ") + selected.entry->full_name() + " takes " + tunable->rule.text;
  }
  throw sweep.error_at(pointer, name + " = " + std::to_string(value) + " is impossible: " + rules);
}

/// Every combination of the grid's values for the entry.
std::vector<Tuning> combinations(const Entry& entry, const TuningGrid& grid) {
  std::vector<std::map<std::string, std::int64_t>> all = {entry.default_tuning().values()};
  for (const auto& [name, values] : grid) {
    const Tunable* const tunable = find(entry, name);
    if (tunable == nullptr) continue;
    std::vector<std::map<std::string, std::int64_t>> longer;
    for (const auto& combination : all) {
      for (const std::int64_t value : values.empty() ? tunable->values : values) {
        longer.push_back(combination);
        longer.back()[name] = value;
      }
    }
    all = std::move(longer);
  }
  std::vector<Tuning> tunings;
  for (auto& combination : all) tunings.emplace_back(std::move(combination));
  return tunings;
}

/// Whether "all" alone is to blame for a combination: some tunable is "all", and the entry takes each of the
/// values that the grid spells out.
bool only_all_is_to_blame(const Entry& entry, const TuningGrid& grid, const Tuning& tuning) {
  bool uses_all = false;
  for (const auto& [name, values] : grid) {
    uses_all |= values.empty();
    const Tunable* const tunable = find(entry, name);
    if (tunable != nullptr && !values.empty() && !tunable->rule.holds(tuning[name])) return false;
  }
  return uses_all;
}

}  // namespace

std::vector<AskedTuning> tunings_of(const Sweep& sweep, const Run& run, const Selected& selected) {
  const Entry& entry = *selected.entry;
  if (run.tunings.empty()) return {{entry.default_tuning(), ""}};
  std::vector<AskedTuning> asked;
  for (std::size_t i = 0; i < run.tunings.size(); ++i) {
    for (Tuning& tuning : combinations(entry, run.tunings[i])) {
      const auto same = [&tuning](const AskedTuning& other) { return other.tuning == tuning; };
      if (std::any_of(asked.begin(), asked.end(), same)) continue;
      const auto refused = entry.refuses(tuning);
      if (refused && only_all_is_to_blame(entry, run.tunings[i], tuning)) continue;
      if (refused && selected.by_name) throw sweep.error_at(pointer_of_grid(sweep, run, i), *refused);
      asked.push_back({std::move(tuning), refused.value_or("")});
    }
  }
  return asked;
}

void refuse_unknown_tunables(const Sweep& sweep, const Run& run, const std::vector<Selected>& entries) {
  for (std::size_t i = 0; i < run.tunings.size(); ++i) {
    const std::string grid = pointer_of_grid(sweep, run, i);
    for (const auto& [name, values] : run.tunings[i]) {
      const std::string pointer = pointer_to(grid, name);
      refuse_unknown(sweep, name, pointer, entries);
      for (std::size_t k = 0; k < values.size(); ++k) {
        refuse_impossible_value(sweep, name, values[k], pointer + "/" + std::to_string(k), entries);
      }
    }
  }
}

}  // namespace tally
