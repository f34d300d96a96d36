#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tally_scan::detail {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TALLY_SCAN_HOPPER 1
#else
#define TALLY_SCAN_HOPPER 0  // compiled for an older GPU, the kernels trap
#endif

/// A one-dimensional launch. `programmatic`: the kernel may become resident while the one before it in the
/// stream still runs; it waits for that one's end itself.
struct Shape {
  unsigned blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
  bool programmatic = true;
};

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream,
                   Arguments... arguments) {
  constexpr std::size_t always_available = 48 * 1024 - 1024;  // the kernels have some shared memory besides
  if (shape.shared_bytes > always_available) {
    const cudaError_t status = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    static_cast<int>(shape.shared_bytes));
    if (status != cudaSuccess) return status;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.dynamicSmemBytes = shape.shared_bytes;
  config.stream = stream;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &attribute;
  config.numAttrs = shape.programmatic ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// Waits until all that was queued before this kernel has ended and can be read. Returns at once in a launch
/// that is not programmatic.
__device__ inline void wait_for_earlier_kernels() {
#if TALLY_SCAN_HOPPER
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets a programmatic launch behind this kernel become resident while this one still runs.
__device__ inline void let_later_kernels_start() {
#if TALLY_SCAN_HOPPER
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

}  // namespace tally_scan::detail
