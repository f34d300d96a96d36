#pragma once

#include "harness/device/simt/executor.h"
#include "harness/device/simt/language.h"

namespace tally {

template <>
struct ScalarTypeOf<simt::half> {
  static constexpr ScalarType value = ScalarType::float16;
};
template <>
struct ScalarTypeOf<simt::bfloat16> {
  static constexpr ScalarType value = ScalarType::bfloat16;
};

inline namespace simt_kernels {

inline constexpr DeviceKind device_of_this_file = DeviceKind::simt;

using half = simt::half;
using half2 = simt::half2;
using bfloat16 = simt::bfloat16;
using bfloat162 = simt::bfloat162;
using simt::dynamic_shared;

/// A one-dimensional launch, as on the GPU. Clusters are refused: entries that need them are not_on simt.
struct LaunchShape {
  LaunchShape(std::int64_t block_count, std::int64_t thread_count, std::int64_t dynamic_shared_bytes = 0)
      : blocks(static_cast<unsigned>(block_count)),
        threads(static_cast<unsigned>(thread_count)),
        shared_bytes(static_cast<std::size_t>(dynamic_shared_bytes)) {}

  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes;
};

class Queue {
 public:
  explicit Queue(DeviceQueue& queue) : queue_(queue) {}

  template <typename... Parameters, typename... Arguments>
  void launch(void (*kernel)(Parameters...), const LaunchShape& shape, Arguments&&... arguments) {
    simt::launch(nullptr, kernel, dim3(shape.blocks), dim3(shape.threads), shape.shared_bytes,
                 std::forward<Arguments>(arguments)...);
  }

  void memset(void* target, int value, std::size_t bytes) { queue_.memset(target, value, bytes); }
  void copy(void* target, const void* source, std::size_t bytes) { queue_.copy(target, source, bytes); }
  void copy_to_host(void* target, const void* source, std::size_t bytes) {
    queue_.copy_to_host(target, source, bytes);
  }
  void synchronize() { queue_.synchronize(); }

 private:
  DeviceQueue& queue_;
};

}  // namespace simt_kernels
}  // namespace tally

#define TALLY_ON_CUDA(...)
