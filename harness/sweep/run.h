#pragma once

#include <string>
#include <vector>

#include "harness/device/facts.h"
#include "harness/sweep/config.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/shard.h"

namespace tally {

/// What the command line says beyond the config.
struct RunOptions {
  std::string out_path;
  bool quiet = false;
  bool resume = false;
  bool force_resume = false;
  std::string command_line;  ///< as typed, for the results file
  DeviceKind device = DeviceKind::simt;
  std::vector<DeviceFacts> devices;  ///< all of that kind, each with its worker process
  Shard shard;
};

/// Measures the plan and leaves the results file. Returns the exit code: 0 all right, 1 something was wrong,
/// crashed or timed out, 2 the results file is in use or the journal does not fit, 3 no such device, 128 +
/// signal.
int run_sweep(const Sweep& sweep, const Plan& plan, const RunOptions& options);

}  // namespace tally
