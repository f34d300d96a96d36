#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace tally_elementwise::detail {

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
  constexpr std::size_t always_available = 47 * 1024;  // 48 KB, less what kernels have besides
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
  cudaLaunchAttribute attributes[1]{};
  config.attrs = attributes;
  if (shape.programmatic) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace tally_elementwise::detail
