#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <array>
#include <string>
#include <tuple>

#include "harness/device/errors.h"
#include "harness/device/kind.h"
#include "harness/device/queue.h"
#include "harness/problems/types.h"

namespace tally {

template <>
struct ScalarTypeOf<__half> {
  static constexpr ScalarType value = ScalarType::float16;
};
template <>
struct ScalarTypeOf<__nv_bfloat16> {
  static constexpr ScalarType value = ScalarType::bfloat16;
};

inline namespace cuda_kernels {

inline constexpr DeviceKind device_of_this_file = DeviceKind::cuda;

using half = __half;
using half2 = __half2;
using bfloat16 = __nv_bfloat16;
using bfloat162 = __nv_bfloat162;

/// Throws DeviceError naming the call that failed.
inline void require(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    throw DeviceError(std::string(call) + ": " + cudaGetErrorString(status) + " (" +
                      cudaGetErrorName(status) + ")");
  }
}

/// A one-dimensional launch: blocks, threads of a block, bytes of dynamic shared memory, blocks of a cluster.
struct LaunchShape {
  LaunchShape(std::int64_t block_count, std::int64_t thread_count, std::int64_t dynamic_shared_bytes = 0,
              std::int64_t cluster_blocks = 1)
      : blocks(static_cast<unsigned>(block_count)),
        threads(static_cast<unsigned>(thread_count)),
        shared_bytes(static_cast<std::size_t>(dynamic_shared_bytes)),
        cluster(static_cast<unsigned>(cluster_blocks)) {}

  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes;
  unsigned cluster;
};

/// The dynamic shared memory of this block, as an array of T.
template <typename T>
__device__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char tally_dynamic_shared_memory[];
  return reinterpret_cast<T*>(tally_dynamic_shared_memory);
}

class Queue {
 public:
  explicit Queue(DeviceQueue& queue) : queue_(queue) {}

  cudaStream_t stream() { return static_cast<cudaStream_t>(queue_.native_stream()); }

  template <typename... Parameters, typename... Arguments>
  void launch(void (*kernel)(Parameters...), const LaunchShape& shape, Arguments&&... arguments) {
    constexpr std::size_t always_available = 48 * 1024;
    if (shape.shared_bytes > always_available) {
      require(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                   cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(shape.shared_bytes)),
              "cudaFuncSetAttribute(MaxDynamicSharedMemorySize)");
    }
    cudaLaunchConfig_t config{};
    config.gridDim = shape.blocks;
    config.blockDim = shape.threads;
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream();
    cudaLaunchAttribute cluster{};
    if (shape.cluster > 1) {
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim.x = shape.cluster;
      cluster.val.clusterDim.y = 1;
      cluster.val.clusterDim.z = 1;
      config.attrs = &cluster;
      config.numAttrs = 1;
    }
    std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
    std::apply(
        [&](auto&... value) {
          std::array<void*, sizeof...(Parameters) + 1> pointers{
              const_cast<void*>(static_cast<const void*>(&value))..., nullptr};
          require(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), pointers.data()),
                  "kernel launch");
        },
        values);
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

}  // namespace cuda_kernels
}  // namespace tally

#define TALLY_ON_CUDA(...) __VA_ARGS__
