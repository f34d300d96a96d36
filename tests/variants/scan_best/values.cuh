#pragma once

#include <cstdint>

#include "tests/variants/on_gpu/timing.cuh"
#include "tests/variants/on_gpu/values.cuh"

/// Whether an array is the prefix sums of another, checked without scanning.
namespace tune {

/// Counts the places where out[i] is not what out[i-1] and x make it. All values are whole numbers below 2^24
/// (integers may wrap), so that every step is exact, and if all steps are right all of out is. `copy` is x,
/// or what x held before a scan in place. Writes the least wrong index to `first`.
template <typename T>
__global__ void count_wrong_steps(const T* copy, const T* out, std::int64_t n, bool inclusive,
                                  unsigned long long* wrong, unsigned long long* first) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    const T before = i > 0 ? out[i - 1] : T(0);
    const T step = inclusive ? copy[i] : i > 0 ? copy[i - 1] : T(0);
    if (!(out[i] == before + step)) {
      atomicAdd(wrong, 1ull);
      atomicMin(first, static_cast<unsigned long long>(i));
    }
  }
}

/// Bytes of [begin, end) that are not `value`.
__global__ void count_changed(const unsigned char* begin, const unsigned char* end, unsigned char value,
                              unsigned long long* changed) {
  for (const unsigned char* at = begin + threadIdx.x; at < end; at += blockDim.x) {
    if (*at != value) atomicAdd(changed, 1ull);
  }
}

/// A hash of all bits with their places: one number a result, to compare two results by.
template <typename T>
__global__ void hash_bits(const T* out, std::int64_t n, unsigned long long* hash) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned long long sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    unsigned long long bits = 0;
    memcpy(&bits, out + i, sizeof(T));
    std::uint64_t h = bits * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(i);
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
    sum += h ^ (h >> 27);
  }
  atomicAdd(hash, sum);
}

}  // namespace tune
