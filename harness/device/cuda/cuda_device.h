#pragma once

#include <memory>

#include "harness/device/device.h"

namespace tally {

/// Opens that GPU. Throws DeviceMissing where there is no such GPU or no driver.
std::unique_ptr<Device> open_cuda_device(int index);

/// 0 where there is no driver. Touches the driver: call it in a process that need not fork afterwards.
int count_cuda_devices();

}  // namespace tally
