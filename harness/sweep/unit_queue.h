#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "harness/sweep/ledger.h"

namespace tally {

/// Units that wait for a worker, and which of them a free worker gets.
///
/// One worker takes them in the order of the plan. Where there are several, a problem stays with the worker
/// that had it first, in all repetitions, so that its rows come from one GPU. Of the others a worker gets
/// those first that take a large share of what is left, by the plan's estimate, so that none is left alone
/// with a long one at the end. Of the rest it gets the longest of a kind (family, type, knobs) of which it
/// has had some, while there are any: the checks of an entry at small sizes are done once for each kind in
/// each process.
class UnitQueue {
 public:
  /// `weights` are the groups' estimated times, in seconds.
  UnitQueue(const Plan& plan, std::vector<double> weights, const std::vector<WorkUnit>& units,
            std::size_t workers);

  bool empty() const { return units_.empty(); }

  /// What the worker is to do next; nothing where all that waits belongs to others.
  std::optional<WorkUnit> take(std::size_t worker);

  /// A unit that is not finished: its worker's, before anything else.
  void put_back(const WorkUnit& unit);

  /// The problem is this worker's.
  void give(std::size_t group, std::size_t worker) { owners_[group] = worker; }

  /// The worker is no more: its problems are whoever's is free.
  void release(std::size_t worker);

 private:
  bool is_free_for(const WorkUnit& unit, std::size_t worker) const;
  std::size_t best_for(std::size_t worker) const;
  std::vector<double> needs_of_kinds() const;

  std::vector<std::size_t> kinds_;  ///< of the groups, numbered
  std::size_t count_of_kinds_ = 0;
  std::vector<double> weights_;
  std::vector<WorkUnit> units_;
  std::map<std::size_t, std::size_t> owners_;  ///< of the groups
  std::vector<std::set<std::size_t>> had_;     ///< the kinds that each worker has had
};

}  // namespace tally
