#pragma once

#include <memory>

#include "harness/device/device.h"

namespace tally {

/// The CPU executor as a device: its memory has guard zones and knows what was written, its calls are
/// counted.
std::unique_ptr<Device> open_simt_device();

}  // namespace tally
