#pragma once

#include <string>

#include "harness/device/facts.h"
#include "harness/device/kind.h"

namespace tally {

/// The device of a run.
struct DeviceChoice {
  DeviceKind kind = DeviceKind::simt;
  int index = 0;
};

/// What "auto", "cuda", "cuda:2", "simt" or "host" chooses on this machine: auto is the first GPU, else simt.
/// Throws ConfigError for other texts.
DeviceChoice choose_device(const std::string& asked);

/// What stands on the first line of a run without a GPU: that there was none, and what the figures are. Empty
/// on a GPU.
std::string no_gpu_notice(DeviceKind kind);

}  // namespace tally
