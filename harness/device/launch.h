#pragma once

/// The one device header of variants and baselines: CUDA's language and types, and Queue with launch().
/// The same source is compiled by nvcc for `cuda`, by a C++ compiler with TALLY_SIMT for the CPU executor,
/// and by a C++ compiler without either for `host`. What differs between the three lives in an inline
/// namespace of its own, so that all three can stand in one binary.

#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/device/kind.h"
#include "harness/device/queue.h"
#include "harness/device/scratch.h"
#include "harness/problems/types.h"

#if defined(__CUDACC__)
#include "harness/device/cuda/launch.h"
#elif defined(TALLY_SIMT)
#include "harness/device/simt/launch.h"
#else
#include "harness/device/host/launch.h"
#endif
