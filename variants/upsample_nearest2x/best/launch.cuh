#pragma once

#include <cuda_runtime.h>

namespace tally_upsample::detail {

/// A one-dimensional launch. `programmatic`: the kernel may become resident while the one before it in the
/// stream still runs; it waits for that one's end itself.
struct Shape {
  unsigned blocks;
  unsigned threads;
  bool programmatic = true;
};

template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Shape& shape, cudaStream_t stream,
                   Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = shape.blocks;
  config.blockDim = shape.threads;
  config.stream = stream;
  cudaLaunchAttribute attributes[1]{};
  config.attrs = attributes;
  if (shape.programmatic) {
    attributes[config.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[config.numAttrs++].val.programmaticStreamSerializationAllowed = 1;
  }
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace tally_upsample::detail
