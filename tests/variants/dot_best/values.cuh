#pragma once

#include "tests/variants/on_gpu/timing.cuh"
#include "tests/variants/on_gpu/values.cuh"

/// Exact dot products of small integers, by a plain kernel in int64.
namespace tune {

template <typename T>
__global__ void exact_dot_kernel(const T* x, const T* y, std::int64_t n, unsigned long long* sum) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  long long mine = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    mine +=
        static_cast<long long>(static_cast<float>(x[i])) * static_cast<long long>(static_cast<float>(y[i]));
  }
  atomicAdd(sum, static_cast<unsigned long long>(mine));
}

template <typename T>
long long exact_dot(const T* x, const T* y, std::int64_t n) {
  static unsigned long long* device = nullptr;
  if (device == nullptr) TUNE_REQUIRE(cudaMalloc(&device, sizeof *device));
  TUNE_REQUIRE(cudaMemset(device, 0, sizeof *device));
  exact_dot_kernel<<<528, 256>>>(x, y, n, device);
  long long sum = 0;
  TUNE_REQUIRE(cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost));
  return sum;
}

}  // namespace tune
