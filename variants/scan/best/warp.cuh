#pragma once

#include <cstdint>
#include <type_traits>

#include "kernel.h"
#include "launch.cuh"
#include "window.h"

/// Addition, and sums and prefixes over a warp.
namespace tally_scan::detail {

inline constexpr unsigned whole_warp = 0xffffffffu;

template <typename T>
inline constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));

/// Integers wrap.
template <typename T>
__device__ T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
  } else {
    return a + b;
  }
}

/// The 16 bytes that are loaded and stored at once.
template <typename T>
union Word {
  uint4 bits;
  T items[width<T>];
};

template <typename T>
__device__ T sum_of(const Word<T>& word) {
  T sum = word.items[0];
#pragma unroll
  for (int k = 1; k < width<T>; ++k) sum = add(sum, word.items[k]);
  return sum;
}

/// Replaces the items by their prefixes from `running` on; returns what the next word begins with.
template <bool Inclusive, typename T>
__device__ T scan_word(Word<T>& word, T running) {
#pragma unroll
  for (int k = 0; k < width<T>; ++k) {
    const T next = add(running, word.items[k]);
    word.items[k] = Inclusive ? next : running;
    running = next;
  }
  return running;
}

/// Every lane has the sum, of the same association.
template <typename T>
__device__ T sum_of_warp(T value) {
#if TALLY_SCAN_HOPPER
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return __reduce_add_sync(whole_warp, value);
  } else
#endif
  {
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
      value = add(value, __shfl_xor_sync(whole_warp, value, distance));
    }
    return value;
  }
}

/// Each lane has the sum of the lanes up to itself.
template <typename T>
__device__ T prefix_in_warp(T value) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
#pragma unroll
  for (int distance = 1; distance < lanes; distance *= 2) {
    const T left = __shfl_up_sync(whole_warp, value, distance);
    if (lane >= distance) value = add(left, value);
  }
  return value;
}

/// Each lane has its left neighbour's value, the first has nothing.
template <typename T>
__device__ T of_left_lane(T value) {
  const T left = __shfl_up_sync(whole_warp, value, 1);
  return threadIdx.x % lanes == 0 ? T(0) : left;
}

}  // namespace tally_scan::detail
