#pragma once

#include <memory>

#include "harness/device/device.h"

namespace tally {

/// Memory, time and order of the CPU devices: plain memory, calls that have ended when they return, and the
/// host's steady clock. `host` is this; `simt` puts the executor's memory in place of plain memory.
class HostDevice : public Device {
 public:
  HostDevice();
  explicit HostDevice(std::unique_ptr<DeviceQueue> queue);
  ~HostDevice() override;

  const DeviceFacts& facts() const override { return facts_; }
  DeviceQueue& queue() override { return *queue_; }

  void* allocate(std::int64_t bytes, const std::string& name) override;
  void release(void* memory) override;
  void* allocate_on_host(std::int64_t bytes) override;
  void release_on_host(void* memory) override;

  void fill(const InputSpec& spec, ScalarType type, void* array) override;
  void poison(void* memory, std::int64_t bytes) override;
  void zero(void* memory, std::int64_t bytes) override;
  void copy(void* target, const void* source, std::int64_t bytes) override;
  void copy_to_host(void* target, const void* source, std::int64_t bytes) override;

  void run(const Work& work) override;

  /// `cold` flushes the last-level cache by reading a buffer that is larger; `device` and `end_to_end` are
  /// the same.
  double sample(const Work& work, const Work& before, const SampleRequest& request) override;

 protected:
  DeviceFacts facts_;

 private:
  void flush_caches();

  std::unique_ptr<DeviceQueue> queue_;
  std::vector<char> flush_buffer_;
};

/// Memory operations that have ended when they return.
class HostQueue : public DeviceQueue {
 public:
  void* native_stream() override { return nullptr; }
  void memset(void* target, int value, std::size_t bytes) override;
  void copy(void* target, const void* source, std::size_t bytes) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes) override;
  void synchronize() override {}
};

std::unique_ptr<Device> open_host_device();

}  // namespace tally
