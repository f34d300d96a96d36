#pragma once

#include "slots.cuh"

/// What the kernels share: how a block learns what comes before each of its warps.
namespace tally_scan::detail {

/// One block's tile of the array.
template <typename T>
struct Tile {
  const T* x;  ///< the tile's first element
  T* out;
  std::int64_t count;  ///< elements from there to the end of the array; may be more than the tile holds
};

template <typename T>
__device__ Tile<T> tile_of_block(const T* x, T* out, std::int64_t n, std::int64_t elements) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * elements;
  return {x + first, out + first, n - first};
}

__device__ inline bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % bytes_of_word == 0;
}

/// The sum of all elements before the calling warp's part of the array, whose own sum is `of_warp`. All
/// threads of the block call it, once. `calls` is needed by the first warp alone.
template <int Threads, int Near, typename T>
__device__ T before_warp(const Slots& slots, std::uint64_t tag, std::uint64_t calls, T of_warp) {
  constexpr int warps = Threads / lanes;
  static_assert(Threads % lanes == 0 && warps <= lanes);
  __shared__ T sums[lanes];
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  if (warps == 1 && gridDim.x == 1) return T(0);
  if (lane == 0) sums[warp] = of_warp;
  __syncthreads();
  if (gridDim.x == 1) {
    // Each warp for itself: no second meeting.
    return sum_of_warp(lane < warp ? sums[lane] : T(0));
  }
  if (warp == 0) {
    const T up_to = prefix_in_warp(lane < warps ? sums[lane] : T(0));
    const T total = __shfl_sync(whole_warp, up_to, lanes - 1);
    const T left = of_left_lane(up_to);
    const T before = look_back<Near>(slots, tag + calls, blockIdx.x, total);
    sums[lane] = add(before, left);
    if (lane == 0 && blockIdx.x == gridDim.x - 1) count_call(slots, calls);
  }
  __syncthreads();
  return sums[warp];
}

}  // namespace tally_scan::detail
