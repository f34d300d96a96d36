#pragma once

#include <cstddef>

namespace tally {

/// Work in order on one device: a CUDA stream, or plain calls on the CPU devices. Entries see it as `Queue`,
/// which adds launch() (harness/device/launch.h).
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;

  /// The cudaStream_t, for libraries that take one; null on CPU devices.
  virtual void* native_stream() = 0;

  /// Sets `bytes` bytes of device memory to `value`.
  virtual void memset(void* target, int value, std::size_t bytes) = 0;

  /// Copies device memory to device memory.
  virtual void copy(void* target, const void* source, std::size_t bytes) = 0;

  /// Copies device memory to host memory. The data is there after synchronize().
  virtual void copy_to_host(void* target, const void* source, std::size_t bytes) = 0;

  /// Waits for all that was queued. Entries that call it declare synchronises().
  virtual void synchronize() = 0;
};

}  // namespace tally
