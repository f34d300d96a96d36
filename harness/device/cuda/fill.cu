#include "harness/device/cuda/fill.h"

#include <cmath>

namespace tally::cuda {
namespace {

template <typename T>
__device__ T element(std::int64_t integer, double unit) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(integer);
  } else if constexpr (std::is_same_v<T, __half>) {
    return __double2half(static_cast<double>(integer) * unit);
  } else if constexpr (std::is_same_v<T, __nv_bfloat16>) {
    return __double2bfloat16(static_cast<double>(integer) * unit);
  } else {
    return static_cast<T>(static_cast<double>(integer) * unit);
  }
}

template <typename T>
__global__ void fill_elements(InputSpec spec, T* array, double unit) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < spec.count;
       i += stride) {
    array[i] = element<T>(integer_at(spec, i), unit);
  }
}

template <typename T>
void launch_fill(const InputSpec& spec, void* array, cudaStream_t stream) {
  constexpr int threads = 256;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>((spec.count + threads - 1) / threads, 132 * 16));
  fill_elements<T>
      <<<blocks, threads, 0, stream>>>(spec, static_cast<T*>(array), std::ldexp(1.0, -spec.fraction_bits));
  require(cudaGetLastError(), "fill");
}

}  // namespace

void fill(const InputSpec& spec, ScalarType type, void* array, cudaStream_t stream) {
  switch (type) {
    case ScalarType::float32:
      return launch_fill<float>(spec, array, stream);
    case ScalarType::float64:
      return launch_fill<double>(spec, array, stream);
    case ScalarType::float16:
      return launch_fill<__half>(spec, array, stream);
    case ScalarType::bfloat16:
      return launch_fill<__nv_bfloat16>(spec, array, stream);
    case ScalarType::int8:
      return launch_fill<std::int8_t>(spec, array, stream);
    case ScalarType::int32:
      return launch_fill<std::int32_t>(spec, array, stream);
    case ScalarType::int64:
      return launch_fill<std::int64_t>(spec, array, stream);
  }
}

}  // namespace tally::cuda
