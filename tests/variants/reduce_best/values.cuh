#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "timing.cuh"

/// Inputs whose sums every accumulator holds exactly, and their exact answers by a plain kernel in int64.
namespace tune {

/// Small integers: |value| ≤ `limit`, a hash of the index. Their mean is near 0, so that partial sums stay
/// far below 2^24.
__host__ __device__ inline int value_at(std::int64_t index, std::uint32_t seed, int limit) {
  std::uint64_t h = static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15ull + seed;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return static_cast<int>((h >> 40) % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
}

template <typename T>
__global__ void fill(T* x, std::int64_t n, std::uint32_t seed, int limit) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(static_cast<float>(value_at(i, seed, limit)));
  }
}

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
