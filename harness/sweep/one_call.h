#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/measure/prepared_entry.h"

namespace tally {

/// The entry of that full name. Throws ConfigError, which names the command line's `option` and the nearest
/// name.
const Entry& entry_named(const std::string& option, const std::string& name);

/// What --n, --type and --knob say.
struct AskedProblem {
  std::int64_t n = 1 << 16;
  std::string type = "float32";
  std::vector<std::string> knobs;  ///< "taps=256"
};

/// The problem of the entry's family that was asked for. Of knobs that nobody has set the defaults; of those
/// that the entry is limited to, the first value. Throws ConfigError for an unknown type, for a knob that the
/// family does not have and for a value that the knob does not take.
ProblemKey problem_of(const Entry& entry, const AskedProblem& asked);

/// Why the entry, with its default tuning, cannot be called on the problem and the device; or nothing.
std::optional<std::string> cannot_be_called(const Entry& entry, const ProblemKey& key, DeviceKind device);

/// Arrays and set-up for one call: inputs filled, outputs poisoned.
struct OneCall {
  OneCall(Device& device, const Entry& entry, const ProblemKey& key, const Tuning& tuning);

  std::unique_ptr<Problem> problem;
  ProblemArrays arrays;
  PreparedEntry prepared;
};

/// What --call is asked.
struct CallOptions {
  std::string entries;  ///< a full name or a glob
  AskedProblem problem;
  DeviceKind device = DeviceKind::cuda;
  int device_index = 0;
};

/// Calls each variant that the glob matches once, on a GPU in an NVTX range "tally", and checks its answer:
/// the shortest program for Nsight Compute or compute-sanitizer to look at. Known-wrong entries and baselines
/// are called only by their full names. Writes a line for each as it is known, which says "not called" of
/// those that cannot take the size, type or device; ends after one that fails. Throws ConfigError where
/// nothing matches. False for a wrong answer and for a failure.
bool call_once(const CallOptions& options, std::ostream& out);

}  // namespace tally
