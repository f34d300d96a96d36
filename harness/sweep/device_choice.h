#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/device/facts.h"
#include "harness/device/kind.h"

namespace tally {

/// The device of a run.
struct DeviceChoice {
  DeviceKind kind = DeviceKind::simt;
  int index = 0;
  bool names_its_index = false;  ///< "cuda:2"
};

/// What "auto", "cuda", "cuda:2", "simt" or "host" chooses on this machine: auto is the first GPU, else simt.
/// `list` as in choose_indices(). Throws ConfigError for other texts.
DeviceChoice choose_device(const std::string& asked, const std::optional<std::string>& list = {});

/// Which of them a run uses, one worker process each: `list` is what --devices asks for, "all" or numbers
/// such as "0,2"; without it the one that was chosen.
///
/// On simt the numbers count worker processes, and all is one a core: the executor keeps to one core while it
/// counts. On host there is one, for library code is timed there and takes all cores. Throws ConfigError, and
/// DeviceMissing for a GPU that is not there.
std::vector<int> choose_indices(const DeviceChoice& choice, const std::optional<std::string>& list);

/// What holds for each of the devices, for a plan that any of them can carry out. Throws ConfigError where
/// they are of several kinds: rows of one results file are compared with one another.
DeviceFacts facts_of_all(const std::vector<DeviceFacts>& devices);

/// What stands on the first line of a run without a GPU: that there was none, and what the figures are. Empty
/// on a GPU.
std::string no_gpu_notice(DeviceKind kind);

}  // namespace tally
