#include "harness/sweep/selection.h"

#include <algorithm>
#include <optional>
#include <set>

namespace tally {
namespace {

bool is_glob(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

/// "a, b and c", shortened where there are many.
std::string listed(const std::vector<std::string>& words) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) text += (i == 0 ? "" : ", ") + words[i];
  return words.size() > most ? text + " and " + std::to_string(words.size() - most) + " more" : text;
}

std::string types_of(const Entry& entry) {
  std::vector<std::string> names;
  for (const ScalarType type : entry.types) names.emplace_back(name_of(type));
  return listed(names);
}

bool has_type(const Entry& entry, ScalarType type) {
  return std::find(entry.types.begin(), entry.types.end(), type) != entry.types.end();
}

/// Why a name or glob matches nothing of the family.
std::string nothing_matches(const std::string& pattern, const Run& run, const Catalog& catalog) {
  const auto elsewhere = catalog.matching(pattern);
  if (!elsewhere.empty()) {
    return "\"" + pattern + "\" is of family " + elsewhere.front()->family + ", and this run is of family " +
           run.family;
  }
  const std::string nearest = catalog.nearest(pattern);
  const std::string suggestion =
      nearest.empty() ? "; `harness --list` shows what there is" : "; did you mean \"" + nearest + "\"?";
  if (!is_glob(pattern)) return "there is no entry \"" + pattern + "\"" + suggestion;
  return "\"" + pattern + "\" matches no entry" + suggestion;
}

class Selection {
 public:
  Selection(const Sweep& sweep, const Run& run, const Catalog& catalog)
      : sweep_(sweep), run_(run), catalog_(catalog) {}

  std::vector<Selected> entries() {
    for (std::size_t i = 0; i < run_.entries.size(); ++i) {
      add(run_.entries[i], run_.pointer + "/entries/" + std::to_string(i), false);
    }
    refuse_impossible_types();
    refuse_impossible_knobs();
    add_baselines();
    std::vector<Selected> ordered;
    for (const Entry* entry : catalog_.entries()) {
      if (const auto found = find(entry)) ordered.push_back(selected_[*found]);
    }
    return ordered;
  }

 private:
  std::optional<std::size_t> find(const Entry* entry) const {
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      if (selected_[i].entry == entry) return i;
    }
    return std::nullopt;
  }

  void add(const std::string& pattern, const std::string& pointer, bool as_baseline) {
    bool matched = false;
    for (const Entry* entry : catalog_.matching(pattern)) {
      if (entry->family != run_.family) continue;
      matched = true;
      if (as_baseline && !entry->known_wrong.empty()) {
        if (is_glob(pattern)) continue;
        throw sweep_.error_at(pointer,
                              entry->full_name() + " is known to be wrong: nothing is compared with it");
      }
      const auto known = find(entry);
      if (!known) selected_.push_back({entry});
      Selected& selected = known ? selected_[*known] : selected_.back();
      selected.by_name |= !as_baseline && !is_glob(pattern);
      selected.is_baseline |= as_baseline;
    }
    if (!matched) throw sweep_.error_at(pointer, nothing_matches(pattern, run_, catalog_));
  }

  void add_baselines() {
    if (run_.baselines.empty()) {
      for (Selected& selected : selected_) {
        selected.is_baseline =
            selected.entry->kind == Entry::Kind::baseline && selected.entry->known_wrong.empty();
      }
    }
    const bool is_list = run_.baselines.size() > 1 ||
                         sweep_.json.at(Pointer(run_.pointer)).value("baseline", nlohmann::json()).is_array();
    for (std::size_t i = 0; i < run_.baselines.size(); ++i) {
      add(run_.baselines[i], run_.pointer + "/baseline" + (is_list ? "/" + std::to_string(i) : ""), true);
    }
  }

  void refuse_impossible_types() const {
    for (std::size_t i = 0; i < run_.types.size(); ++i) {
      const ScalarType type = run_.types[i];
      bool anyone = false;
      for (const Selected& selected : selected_) {
        anyone |= has_type(*selected.entry, type);
        if (selected.by_name && !has_type(*selected.entry, type)) {
          throw sweep_.error_at(run_.pointer + "/types/" + std::to_string(i),
                                selected.entry->full_name() + " has no type " + std::string(name_of(type)) +
                                    "; it takes " + types_of(*selected.entry));
        }
      }
      if (!anyone) {
        std::set<ScalarType> known;
        for (const Selected& selected : selected_)
          known.insert(selected.entry->types.begin(), selected.entry->types.end());
        std::vector<std::string> names;
        for (const ScalarType other : known) names.emplace_back(name_of(other));
        throw sweep_.error_at(run_.pointer + "/types/" + std::to_string(i),
                              "none of the run's entries has type " + std::string(name_of(type)) +
                                  "; they take " + listed(names));
      }
    }
  }

  /// Values of knobs that the entries limit themselves to.
  void refuse_impossible_knobs() const {
    for (const auto& [knob, values] : run_.knobs) {
      for (std::size_t i = 0; i < values.size(); ++i) refuse_impossible_value(knob, values, i);
    }
  }

  void refuse_impossible_value(const std::string& knob, const std::vector<KnobValue>& values,
                               std::size_t index) const {
    const std::string value = to_string(values[index]);
    const std::string pointer =
        run_.pointer + "/" + knob + (values.size() > 1 ? "/" + std::to_string(index) : "");
    bool anyone = false;
    std::set<std::string> taken;
    for (const Selected& selected : selected_) {
      const auto limit = selected.entry->knobs.find(knob);
      const bool can = limit == selected.entry->knobs.end() || limit->second.contains(value);
      anyone |= can;
      if (can) continue;
      taken.insert(limit->second.begin(), limit->second.end());
      if (selected.by_name) {
        throw sweep_.error_at(pointer, selected.entry->full_name() + " cannot do " + knob + " = " + value +
                                           "; it does " +
                                           listed({limit->second.begin(), limit->second.end()}));
      }
    }
    if (!anyone) {
      throw sweep_.error_at(pointer, "none of the run's entries can do " + knob + " = " + value +
                                         "; they do " + listed({taken.begin(), taken.end()}));
    }
  }

  using Pointer = nlohmann::json::json_pointer;
  const Sweep& sweep_;
  const Run& run_;
  const Catalog& catalog_;
  std::vector<Selected> selected_;
};

}  // namespace

std::vector<Selected> select_entries(const Sweep& sweep, const Run& run, const Catalog& catalog) {
  return Selection(sweep, run, catalog).entries();
}

std::vector<Knobs> knob_combinations(const Run& run) {
  std::vector<Knobs> combinations(1);
  for (const auto& [name, values] : run.knobs) {
    std::vector<Knobs> longer;
    for (const Knobs& combination : combinations) {
      for (const KnobValue& value : values) {
        longer.push_back(combination);
        longer.back()[name] = value;
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

}  // namespace tally
