#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/measure/group.h"
#include "tests/harness/measure/fake_device.h"

namespace tally::testing {

/// Keeps all that a group reports.
class Recorder final : public Observer {
 public:
  void begin(const Cell& cell, const Activity& activity) override {
    log.push_back(cell.entry->name + ": " + activity.what);
  }
  void turn(const Cell& cell, const Turn& turn) override { turns[cell.name()].push_back(turn); }
  void row(const Row& row) override {
    rows[row.entry + (row.cache == CacheState::warm ? " warm" : "") +
         (row.clock == Clock::device ? "" : " " + std::string(name_of(row.clock)))] = row;
  }
  void failure(const Failure& failure) override { failures.push_back(failure); }
  void warning(const std::string& text) override { warnings.push_back(text); }
  bool stop_requested() override { return stop_after >= 0 && total_turns() >= stop_after; }

  int total_turns() const {
    int total = 0;
    for (const auto& [name, taken] : turns) total += static_cast<int>(taken.size());
    return total;
  }

  std::vector<std::string> log;
  std::map<std::string, std::vector<Turn>> turns;
  std::map<std::string, Row> rows;
  std::vector<Failure> failures;
  std::vector<std::string> warnings;
  int stop_after = -1;
};

class GroupTest : public ::testing::Test {
 protected:
  GroupTest() {
    settings.min_samples = 20;
    check.sizes = {1, 2, 31, 1000};
    check.launches = 5;
    group.problem.family = "reduce";
    group.problem.n = 4096;
    group.problem.knobs["op"] = std::string("sum");
  }

  void add(Entry entry, CacheState cache = CacheState::cold, Clock clock = Clock::device) {
    entries.push_back(std::make_unique<Entry>(std::move(entry)));
    add_cell(*entries.back(), cache, clock);
  }
  void add_cell(const Entry& entry, CacheState cache, Clock clock) {
    group.cells.push_back({&entry, group.problem, entry.default_tuning(), cache, clock, device.facts().kind});
  }

  GroupOutcome run() {
    Checker checker(check, {});
    GroupOrder order;
    order.group = &group;
    for (std::size_t i = 0; i < group.cells.size(); ++i) {
      const std::string name = group.cells[i].entry->full_name();
      if (done.contains(group.cells[i].name())) continue;
      order.cells.push_back(i);
    }
    order.turns = before;
    const GroupContext context{settings, checker, [this](DeviceKind) -> Device& { return device; }, ceilings};
    return measure_group(order, context, seen);
  }

  FakeDevice device;
  MeasureSettings settings;
  CheckSettings check;
  Group group;
  std::vector<std::unique_ptr<Entry>> entries;
  std::set<std::string> done;
  std::map<std::string, std::vector<Turn>> before;
  std::optional<Ceilings> ceilings;
  Recorder seen;
};

}  // namespace tally::testing
