#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/device.h"

namespace tally {

/// Bytes that can be had on the device now: a GPU's free memory; the machine's available memory for CPU
/// devices.
std::int64_t available_memory(Device& device);

/// Bytes of host memory that Linux believes can be had without swapping; 0 where it does not say.
std::int64_t available_host_memory();

/// "1.50 GiB", "12.0 MiB", "640 bytes".
std::string in_words(std::int64_t bytes);

/// Time since it was made, by the host's steady clock.
class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Tells a call that leaves memory behind from one whose buffers grow now and then: only growth by at least
/// 16 KiB (allocators keep some) in each one of at least three calls counts. A GPU's driver gives memory out
/// in blocks of 2 MiB, so that smaller leaks of device memory are seen on the CPU executor only.
class LeakDetector {
 public:
  explicit LeakDetector(Device& device);
  void after_call();
  std::optional<std::string> verdict() const;

 private:
  struct Used {
    std::int64_t host = 0;
    std::int64_t device = 0;
  };
  Used used_now() const;

  Device& device_;
  std::vector<Used> used_;  ///< before the first call and after each
};

}  // namespace tally
