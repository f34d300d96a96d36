#pragma once

#include "harness/device/cuda/launch.h"
#include "harness/problems/inputs.h"

namespace tally::cuda {

/// Writes an input into device memory, element for element what tally::fill writes on the host.
void fill(const InputSpec& spec, ScalarType type, void* array, cudaStream_t stream);

}  // namespace tally::cuda
