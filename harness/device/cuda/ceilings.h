#pragma once

#include <cuda_runtime.h>

#include "harness/device/device.h"

namespace tally::cuda {

/// Measures what this GPU can do at best, with the same sampler that times the entries. Takes about a second.
Ceilings measure_ceilings(Device& device);

/// What Device::launch_gap() says.
double measure_launch_gap(Device& device);

}  // namespace tally::cuda
