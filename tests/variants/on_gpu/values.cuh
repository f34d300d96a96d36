#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

/// Inputs by a hash of the index.
namespace tune {

/// Small integers: |value| ≤ `limit`. Their mean is near 0, so that partial sums stay far below 2^24.
__host__ __device__ inline int value_at(std::int64_t index, std::uint32_t seed, int limit) {
  std::uint64_t h = static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15ull + seed;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return static_cast<int>((h >> 40) % static_cast<std::uint64_t>(2 * limit + 1)) - limit;
}

/// Integers that every accumulator adds up exactly.
template <typename T>
__global__ void fill(T* x, std::int64_t n, std::uint32_t seed, int limit) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(static_cast<float>(value_at(i, seed, limit)));
  }
}

/// Fractions of which no sum is exact: another order of adding up gives other bits.
template <typename T>
__global__ void fill_fractions(T* x, std::int64_t n, std::uint32_t seed) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(value_at(i, seed, 1000000) / 3e6);
  }
}

}  // namespace tune
