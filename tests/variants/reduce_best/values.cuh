#pragma once

#include "tests/variants/on_gpu/timing.cuh"
#include "tests/variants/on_gpu/values.cuh"

/// Exact answers to inputs of small integers, by a plain kernel in int64.
namespace tune {

struct Exact {
  long long sum;
  long long smallest;
  long long largest;
};

/// One thread an element, 64-bit atomics a warp at a time: shares nothing with what is tested.
template <typename T>
__global__ void exact_kernel(const T* x, std::int64_t n, Exact* exact) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  long long sum = 0;
  long long smallest = 1LL << 62;
  long long largest = -(1LL << 62);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    const auto value = static_cast<long long>(static_cast<double>(static_cast<float>(x[i])));
    sum += value;
    smallest = value < smallest ? value : smallest;
    largest = largest < value ? value : largest;
  }
  atomicAdd(reinterpret_cast<unsigned long long*>(&exact->sum), static_cast<unsigned long long>(sum));
  atomicMin(&exact->smallest, smallest);
  atomicMax(&exact->largest, largest);
}

template <typename T>
Exact exact_of(const T* x, std::int64_t n) {
  static Exact* device = nullptr;
  if (device == nullptr) TUNE_REQUIRE(cudaMalloc(&device, sizeof(Exact)));
  Exact exact{0, 1LL << 62, -(1LL << 62)};
  TUNE_REQUIRE(cudaMemcpy(device, &exact, sizeof exact, cudaMemcpyHostToDevice));
  exact_kernel<<<528, 256>>>(x, n, device);
  TUNE_REQUIRE(cudaMemcpy(&exact, device, sizeof exact, cudaMemcpyDeviceToHost));
  return exact;
}

}  // namespace tune
