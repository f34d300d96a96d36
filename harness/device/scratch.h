#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/device/facts.h"

namespace tally {

/// Memory that an entry sets up before its timed call and keeps as long as the call. Released by the harness.
class Scratch {
 public:
  virtual ~Scratch() = default;

  /// `count` elements of device memory whose content is poison before each checked call.
  template <typename T>
  T* array(std::int64_t count) {
    return static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T), Content::poisoned));
  }

  /// `count` elements of device memory, zero when the entry is prepared and from then on the entry's own:
  /// what self-resetting counters need.
  template <typename T>
  T* zeroed_array(std::int64_t count) {
    return static_cast<T*>(allocate(static_cast<std::size_t>(count) * sizeof(T), Content::zeroed));
  }

  /// `count` elements of page-locked host memory.
  template <typename T>
  T* host_array(std::int64_t count) {
    return static_cast<T*>(allocate_on_host(static_cast<std::size_t>(count) * sizeof(T)));
  }

  /// What the entry may size its grid by.
  virtual const DeviceFacts& device() const = 0;

 protected:
  enum class Content : std::uint8_t { poisoned, zeroed };
  virtual void* allocate(std::size_t bytes, Content content) = 0;
  virtual void* allocate_on_host(std::size_t bytes) = 0;
};

}  // namespace tally
