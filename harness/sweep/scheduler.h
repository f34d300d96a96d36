#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/results/journal.h"
#include "harness/results/progress.h"
#include "harness/sweep/ledger.h"
#include "harness/sweep/time_spent.h"
#include "harness/sweep/unit_queue.h"
#include "harness/sweep/worker_process.h"

namespace tally {

/// Seconds without a sign of life after which a worker is lost, beside ten times what it said it would need.
/// TALLY_WATCHDOG_SECONDS in the environment, 30 by default.
double watchdog_seconds();

/// A device that has a worker.
struct WorkerDevice {
  int index = 0;
  std::string identity;  ///< identity_of() its facts
  Json ceilings = {};    ///< as measured by an earlier run; null where they are not known
  Pace best_pace = {};   ///< the shortest of either that any worker has found
};

/// Hands the units of a plan to worker processes, one a device, as they become free; writes what they report
/// into the journal; replaces those that are lost, at the cost of the cell that they were busy with. A device
/// on which no worker can be started is given up, and others take over what it had.
class Scheduler {
 public:
  struct Hooks {
    std::function<void(const std::string& line)> say;  ///< warnings, for a person
    std::function<int()> interruptions;                ///< how many signals asked the run to end
  };

  /// `weights`: the groups' estimated times, in seconds.
  Scheduler(WorkerSetup setup, const std::vector<WorkerDevice>& devices, Ledger& ledger, Journal& journal,
            Progress& progress, const std::vector<double>& weights, Hooks hooks,
            std::vector<int> closed_in_workers);

  enum class End : std::uint8_t { done, interrupted };

  /// Until all is done, or until an interruption has been obeyed: at the first, cells in progress are
  /// finished; at the second, the workers are killed. Throws DeviceMissing, ResultsError, and
  /// std::runtime_error where no worker can be kept alive.
  End run();

  /// After run(): the workers, which have been told to go and take a while to leave their devices. Whoever
  /// has them retires them.
  std::vector<std::unique_ptr<WorkerProcess>> leaving_workers();

  /// Seconds that the workers spent on each kind of work, those of all added up.
  std::map<std::string, double> seconds_spent() const;

 private:
  using Instant = std::chrono::steady_clock::time_point;

  /// A device and its worker.
  struct Slot {
    WorkerDevice device;
    std::unique_ptr<WorkerProcess> worker;
    std::optional<WorkUnit> unit;  ///< that it has now
    int repetition = -1;           ///< of the units that this process has had
    bool fruitful = false;         ///< has reported a row or a failure of its unit
    bool given_up = false;         ///< no worker lives there
    bool noted = false;            ///< the journal has the device
    bool ready = false;            ///< the worker has opened the device and knows its ceilings
    int failed_starts = 0;         ///< of workers that were never ready, one after the other
    std::optional<std::pair<std::size_t, Activity>> busy_with;  ///< a cell of the unit's group
    Instant deadline;
    TimeSpent spent;
  };

  void hand_out();
  void start(Slot& slot, const WorkUnit& unit);
  void start_worker(Slot& slot);
  void wait_for_reports() const;
  /// Workers that were stopped for as long as this process are not late.
  void forgive_standstill();
  void listen(Slot& slot);
  void take_report(Slot& slot, const Json& report);
  void finish_unit(Slot& slot, const std::string& outcome);
  void lose(Slot& slot, bool timed_out);
  void give_up(Slot& slot, const std::string& reason);
  std::string doing() const;
  void put_back(Slot& slot);
  void write_failures(const std::vector<Json>& failures);
  void allow(Slot& slot, double expected_seconds);

  WorkerSetup setup_;
  std::vector<Slot> slots_;
  Ledger& ledger_;
  Journal& journal_;
  Progress& progress_;
  std::vector<double> weights_;
  Hooks hooks_;
  std::vector<int> closed_in_workers_;
  std::atomic<bool>* stop_;
  UnitQueue units_;
  std::set<std::string> said_;
  Instant last_look_ = std::chrono::steady_clock::now();  ///< at a deadline
  std::string missing_;  ///< what the first device that is not there was refused with
};

}  // namespace tally
