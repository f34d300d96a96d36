#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/results/journal.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/worker.h"

namespace tally {

/// One group in one repetition: what a worker is given at a time.
struct WorkUnit {
  int repetition = 0;
  std::size_t group = 0;
  int fruitless = 0;  ///< times that a worker had it and brought neither row nor failure
};

/// A process that was lost while it was busy with a cell.
struct Incident {
  std::size_t group = 0;
  std::size_t cell = 0;  ///< of the group
  Activity activity;
  bool timed_out = false;
  std::string how;  ///< "signal 11 (Segmentation fault)"
};

/// Which cells of a plan have their rows, which have failed, and which turns were taken. Everything that it
/// is told stands in the journal too, so that it can be made again from there.
class Ledger {
 public:
  Ledger(const Plan& plan, int repetitions);

  /// Takes over what an earlier run left.
  void take_over(const JournalContent& content);

  /// Where the problem's unit is measured: the identity of a device, empty before anything was.
  const std::string& place_of(const WorkUnit& unit) const;

  /// The unit is measured on that device from now on. What another device has brought of it is forgotten, for
  /// cells that are compared with one another come from one device: returns the names of all cells that are
  /// to be measured afresh.
  std::vector<std::string> place(const WorkUnit& unit, const std::string& device);

  /// Units that have something to do, repetition by repetition.
  std::vector<WorkUnit> units() const;

  /// What is left of a unit; without cells where nothing is.
  WorkOrder order_for(const WorkUnit& unit) const;

  void row(const Json& row);
  void failure(const Json& failure);
  void turn(const Json& turn);

  /// The failures that a lost process stands for, ready for the journal: the cell's, or of all cells that
  /// would fail in the same way. An entry that has cost `most_incidents` processes is given up: all its cells
  /// fail.
  std::vector<Json> failures_of(const Incident& incident);

  /// Failures of all that is left of a unit that no worker can finish.
  std::vector<Json> give_up(const WorkUnit& unit, const std::string& reason) const;

  std::size_t cells_done() const { return cells_done_; }  ///< cells times repetitions
  std::size_t cells_in_all() const;

  /// Share of the work that is done; `weights` are the groups' estimated times.
  double share_done(const std::vector<double>& weights) const;

  static constexpr int most_incidents = 3;

 private:
  bool is_done(const std::string& cell, int repetition) const;
  void note_done(const std::string& cell);

  const Plan& plan_;
  int repetitions_;
  std::vector<std::vector<std::string>> names_;  ///< of the cells, by group
  std::map<std::string, std::size_t> group_of_;
  std::set<std::pair<std::string, int>> rows_;
  std::set<std::string> failed_;
  CellTurns turns_;
  std::map<ProblemPlace, std::string> places_;
  std::map<std::string, int> incidents_;  ///< by entry
  std::vector<std::size_t> done_in_group_;
  std::size_t cells_done_ = 0;
};

}  // namespace tally
