#pragma once

#include <cuda_runtime.h>

#include "harness/device/device.h"

namespace tally::cuda {

/// Measures what this GPU can do at best, with the same sampler that times the entries. Takes about a second.
/// Memory is read through registers and by bulk copies, and copied by kernels and by the driver: the faster
/// one is the ceiling.
Ceilings measure_ceilings(Device& device);

/// What Device::pace() says. Takes 20 ms.
Pace measure_pace(Device& device);

}  // namespace tally::cuda
