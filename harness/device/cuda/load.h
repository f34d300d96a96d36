#pragma once

#include <memory>

#include "harness/device/device.h"

namespace tally::cuda {

/// Three more streams of the current GPU that run kernels of their own until the object goes: one rewrites a
/// buffer larger than the L2 cache, one takes shared memory away, one brings crowds of tiny blocks.
///
/// The kernels come in bursts. All of a burst are short and end by themselves, and the next burst is queued
/// only when they have: in between, every place on the GPU is free for the kernels of others. So a kernel
/// whose blocks must all be there at once gets its places, however long it waits inside.
///
/// Throws DeviceError where there is no memory for the buffer, or a first burst fails.
std::unique_ptr<Load> begin_load(const DeviceFacts& facts);

}  // namespace tally::cuda
