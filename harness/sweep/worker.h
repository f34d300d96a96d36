#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>

#include "harness/device/device.h"
#include "harness/results/row_json.h"
#include "harness/sweep/plan.h"

namespace tally {

/// What a worker process knows from the moment at which it is forked.
struct WorkerSetup {
  const Plan* plan = nullptr;
  MeasureSettings measure;
  CheckSettings check;
  std::map<DeviceKind, std::int64_t> largest_n;  ///< of the odd sizes that are checked
  DeviceKind device = DeviceKind::simt;
  int device_index = 0;
  std::string identity;  ///< of that device
  Json ceilings;         ///< as an earlier worker measured them there; null: measure them
  Pace best_pace;        ///< the shortest of either that workers have found there; 0: none yet
  /// Opens a device in the worker; another than open_device in tests.
  std::function<std::unique_ptr<Device>(DeviceKind kind, int index)> open = open_device;
  const std::atomic<bool>* stop = nullptr;  ///< in memory that parent and worker share
};

/// What a worker is told to do, as one line of JSON.
struct WorkOrder {
  std::size_t group = 0;
  int repetition = 0;
  std::vector<std::size_t> cells;                  ///< of the group
  std::map<std::string, std::vector<Turn>> turns;  ///< taken before, by cell's name
};

Json to_json(const WorkOrder& order);
WorkOrder order_from_json(const Json& json);

/// The whole life of a worker process: opens the device, then takes orders, one line each, from descriptor
/// `orders` until that is closed. Reports, one line of JSON each, go to descriptor `reports`; "kind" says
/// which:
///   missing {text}    the device is not there
///   device {...}      what the device says of itself, "device" being its identity
///   ceilings {...}    freshly measured
///   begin {cell, what, scope, seconds}    cell: its index in the group
///   turn {cell, repetition, turn}         cell: its name
///   row {...}, failure {...}, warning {text}
///   done {outcome}    the order is finished: "done", "stopped" or "spoilt"
/// The parent needs nothing of it but these lines: the process may end at any moment.
void work(const WorkerSetup& setup, int orders, int reports);

}  // namespace tally
