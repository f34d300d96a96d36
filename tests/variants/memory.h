#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/device/device.h"
#include "harness/device/scratch.h"

namespace tally::test {

/// A device's memory for one call: the problem's buffers and what the entry asks for, all of it given back at
/// the end. Nothing is poisoned or guarded; for that there is tests/support/exact_run.h.
class Memory final : public Scratch {
 public:
  explicit Memory(Device& device) : device_(device) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() override {
    for (void* memory : on_device_) device_.release(memory);
    for (void* memory : on_host_) device_.release_on_host(memory);
  }

  /// A buffer of the problem, in device memory.
  void* buffer(std::int64_t bytes, const std::string& name) {
    return on_device_.emplace_back(device_.allocate(bytes, name));
  }
  void* host_buffer(std::int64_t bytes) { return on_host_.emplace_back(device_.allocate_on_host(bytes)); }

  /// Bytes of device memory that the entry asked for.
  std::int64_t scratch_bytes() const { return scratch_bytes_; }

  const DeviceFacts& device() const override { return device_.facts(); }

 protected:
  void* allocate(std::size_t bytes, Content content) override {
    const auto size = static_cast<std::int64_t>(bytes);
    scratch_bytes_ += size;
    void* memory = buffer(size, "scratch");
    if (content == Content::zeroed) device_.zero(memory, size);
    return memory;
  }
  void* allocate_on_host(std::size_t bytes) override { return host_buffer(static_cast<std::int64_t>(bytes)); }

 private:
  Device& device_;
  std::vector<void*> on_device_;
  std::vector<void*> on_host_;
  std::int64_t scratch_bytes_ = 0;
};

}  // namespace tally::test
