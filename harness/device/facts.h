#pragma once

#include <cstdint>
#include <string>

#include "harness/device/kind.h"

namespace tally {

/// What is known of a device before anything runs on it. Fields that a device does not have are 0 or empty.
struct DeviceFacts {
  DeviceKind kind = DeviceKind::simt;
  int index = 0;
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;
  std::string driver;  ///< driver's version, "580.159.04"
  std::string cuda;    ///< runtime's version, "13.0"
  std::string cccl;    ///< Thrust and CUB's version, "3.0.1"
  int multiprocessors = 1;
  int compute_capability = 0;  ///< 90 for 9.0
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;                            ///< all of it
  std::int64_t free_memory_bytes = 0;                       ///< when the device was opened
  std::int64_t max_shared_bytes = std::int64_t{48} * 1024;  ///< a block's, with the opt-in
};

}  // namespace tally
