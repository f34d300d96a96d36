/// \file
/// What tests of the CPU executor share: its language as launch.h would bring it in, and short-lived device
/// arrays.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "harness/device/simt/executor.h"
#include "harness/device/simt/language.h"
#include "harness/device/simt/memory.h"

namespace tally::simt {

/// Device memory with known contents, released at the end of its scope.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t n, const char* name = "array", std::size_t misalign_bytes = 0)
      : n_(n), data_(static_cast<T*>(allocate(n * sizeof(T), name, misalign_bytes))) {}
  explicit DeviceArray(const std::vector<T>& values, const char* name = "array",
                       std::size_t misalign_bytes = 0)
      : DeviceArray(values.size(), name, misalign_bytes) {
    std::memcpy(static_cast<void*>(data_), values.data(), n_ * sizeof(T));
    mark_initialised(data_, n_ * sizeof(T));
  }
  ~DeviceArray() { release(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  T operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return n_; }
  std::vector<T> values() const { return std::vector<T>(data_, data_ + n_); }

 private:
  std::size_t n_;
  T* data_;
};

/// From 0 to 999, so that sums of many are exact.
inline std::vector<int> random_values(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<int> values(n);
  for (int& value : values) value = static_cast<int>(generator() % 1000);
  return values;
}

}  // namespace tally::simt
