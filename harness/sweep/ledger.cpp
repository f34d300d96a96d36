#include "harness/sweep/ledger.h"

#include <algorithm>
#include <numeric>

namespace tally {
namespace {

/// Whether `other` would fail as `cell` did.
bool shares_fate(const Cell& cell, const Cell& other, Activity::Scope scope, bool same_group) {
  if (other.entry != cell.entry || other.tuning != cell.tuning) return false;
  if (scope == Activity::Scope::problem) return same_group;
  return other.problem.type == cell.problem.type && other.problem.knobs == cell.problem.knobs &&
         other.device == cell.device;
}

}  // namespace

Ledger::Ledger(const Plan& plan, int repetitions)
    : plan_(plan), repetitions_(repetitions), done_in_group_(plan.groups.size(), 0) {
  for (const Group& group : plan.groups) {
    names_.emplace_back();
    for (const Cell& cell : group.cells) {
      names_.back().push_back(cell.name());
      group_of_[names_.back().back()] = names_.size() - 1;
    }
  }
}

void Ledger::take_over(const JournalContent& content) {
  for (const Json& found : content.failures) failure(found);
  for (const Json& found : content.rows) row(found);
  turns_ = content.turns;
  places_ = content.places;
}

const std::string& Ledger::place_of(const WorkUnit& unit) const {
  static const std::string nowhere;
  const auto place = places_.find({plan_.groups.at(unit.group).problem.id(), unit.repetition});
  return place == places_.end() ? nowhere : place->second;
}

std::vector<std::string> Ledger::place(const WorkUnit& unit, const std::string& device) {
  std::string& place = places_[{plan_.groups.at(unit.group).problem.id(), unit.repetition}];
  std::vector<std::string> afresh;
  if (!place.empty() && place != device) {
    for (const std::string& name : names_[unit.group]) {
      const bool had_row = rows_.erase({name, unit.repetition}) > 0;
      if (had_row && !failed_.contains(name)) {
        --cells_done_;
        --done_in_group_[unit.group];
      }
      if (turns_.erase({name, unit.repetition}) > 0 || had_row) afresh.push_back(name);
    }
  }
  place = device;
  return afresh;
}

bool Ledger::is_done(const std::string& cell, int repetition) const {
  return failed_.contains(cell) || rows_.contains({cell, repetition});
}

std::vector<WorkUnit> Ledger::units() const {
  std::vector<WorkUnit> units;
  for (int repetition = 0; repetition < repetitions_; ++repetition) {
    for (std::size_t group = 0; group < names_.size(); ++group) {
      const bool left = std::any_of(names_[group].begin(), names_[group].end(),
                                    [&](const std::string& name) { return !is_done(name, repetition); });
      if (left) units.push_back({repetition, group, 0});
    }
  }
  return units;
}

WorkOrder Ledger::order_for(const WorkUnit& unit) const {
  WorkOrder order;
  order.group = unit.group;
  order.repetition = unit.repetition;
  const std::vector<std::string>& names = names_[unit.group];
  for (std::size_t cell = 0; cell < names.size(); ++cell) {
    if (!is_done(names[cell], unit.repetition)) order.cells.push_back(cell);
    if (failed_.contains(names[cell])) continue;
    const auto taken = turns_.find({names[cell], unit.repetition});
    if (taken != turns_.end()) order.turns.insert({names[cell], taken->second});
  }
  return order;
}

void Ledger::note_done(const std::string& cell) {
  const auto group = group_of_.find(cell);
  if (group == group_of_.end()) return;
  ++cells_done_;
  ++done_in_group_[group->second];
}

void Ledger::row(const Json& row) {
  const std::string name = row.at("name");
  if (failed_.contains(name)) return;
  if (rows_.insert({name, row.at("repetition_index").get<int>()}).second) note_done(name);
}

void Ledger::failure(const Json& failure) {
  const std::string name = failure.at("cell");
  if (failure.value("incident", false)) ++incidents_[failure.at("entry").get<std::string>()];
  if (!failed_.insert(name).second) return;
  for (int repetition = 0; repetition < repetitions_; ++repetition) {
    if (!rows_.contains({name, repetition})) note_done(name);
  }
}

void Ledger::turn(const Json& turn) {
  turns_[{turn.at("cell").get<std::string>(), turn.at("repetition").get<int>()}].push_back(
      turn_from_json(turn.at("turn")));
}

std::vector<Json> Ledger::failures_of(const Incident& incident) {
  const Cell& cell = plan_.groups.at(incident.group).cells.at(incident.cell);
  const Entry& entry = *cell.entry;
  const bool given_up = incidents_[entry.full_name()] + 1 >= most_incidents;
  const std::string reason = incident.timed_out ? "hangs in the " + incident.activity.what
                                                : incident.how + " in the " + incident.activity.what;
  const auto status = !entry.known_wrong.empty() ? Failure::Status::known_wrong
                      : incident.timed_out       ? Failure::Status::timed_out
                                                 : Failure::Status::crashed;
  std::vector<Json> failures;
  const auto add = [&](std::size_t group, std::size_t index, const std::string& why) {
    const std::string& name = names_[group][index];
    if (failed_.contains(name)) return;
    failures.push_back(
        to_json(Failure{name, entry.full_name(), plan_.groups[group].problem.id(), status, why}));
  };
  add(incident.group, incident.cell, reason);
  for (std::size_t group = 0; group < plan_.groups.size(); ++group) {
    const std::vector<Cell>& cells = plan_.groups[group].cells;
    for (std::size_t index = 0; index < cells.size(); ++index) {
      const bool itself = group == incident.group && index == incident.cell;
      if (itself || cells[index].entry != &entry) continue;
      const Activity::Scope scope = incident.activity.scope;
      if (scope != Activity::Scope::cell && shares_fate(cell, cells[index], scope, group == incident.group)) {
        add(group, index, reason);
      } else if (given_up) {
        add(group, index,
            "given up after " + std::to_string(most_incidents) + " lost processes; the last: " + reason);
      }
    }
  }
  if (!failures.empty()) failures.front()["incident"] = true;
  return failures;
}

std::vector<Json> Ledger::give_up(const WorkUnit& unit, const std::string& reason) const {
  std::vector<Json> failures;
  for (const std::size_t index : order_for(unit).cells) {
    const Cell& cell = plan_.groups[unit.group].cells[index];
    failures.push_back(to_json(Failure{names_[unit.group][index], cell.entry->full_name(), cell.problem.id(),
                                       Failure::Status::crashed, reason}));
  }
  return failures;
}

std::size_t Ledger::cells_in_all() const {
  return std::transform_reduce(names_.begin(), names_.end(), std::size_t{0}, std::plus{},
                               [](const auto& names) { return names.size(); }) *
         static_cast<std::size_t>(repetitions_);
}

double Ledger::share_done(const std::vector<double>& weights) const {
  double done = 0;
  double all = 0;
  for (std::size_t group = 0; group < names_.size(); ++group) {
    const auto cells = static_cast<double>(names_[group].size() * static_cast<std::size_t>(repetitions_));
    all += weights[group];
    if (cells > 0) done += weights[group] * static_cast<double>(done_in_group_[group]) / cells;
  }
  return all > 0 ? done / all : 1;
}

}  // namespace tally
