#pragma once

#include <stdexcept>

namespace tally {

/// A device refused something: out of memory, a failed launch, a fault. The message names the call.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device that was asked for is not there (exit code 3).
class DeviceMissing : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tally
