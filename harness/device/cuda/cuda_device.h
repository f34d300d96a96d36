#pragma once

#include <memory>

#include "harness/device/device.h"

namespace tally {

/// Opens that GPU, and makes it the only one that this process will see. Throws DeviceMissing where there is
/// no such GPU or no driver.
std::unique_ptr<Device> open_cuda_device(int index);

/// What open_cuda_device(index)->facts() would say, but for the memory that is free; opens nothing on the
/// GPU.
DeviceFacts cuda_device_facts(int index);

/// 0 where there is no driver. Touches the driver: call it in a process that need not fork afterwards.
int count_cuda_devices();

}  // namespace tally
