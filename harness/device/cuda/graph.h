#pragma once

#include "harness/device/device.h"

namespace tally::cuda {

/// What replays `work`, recorded on the queue's stream as a CUDA graph. Throws DeviceError where the work
/// cannot be recorded.
Device::Work recorded(DeviceQueue& queue, const Device::Work& work);

}  // namespace tally::cuda
