/// \file
/// The part of CUDA's cooperative groups that a block's own threads need, for the CPU executor: the block,
/// tiles of up to 32 lanes, and reduce over a tile. Kernels include it where they include
/// <cooperative_groups.h> for a GPU.
#pragma once

#include "harness/device/simt/intrinsics.h"

namespace tally::simt::groups {

/// All threads of the block.
class thread_block {
 public:
  TALLY_SIMT_INLINE static TALLY_SIMT_CONVERGENT void sync() { __syncthreads(); }
  TALLY_SIMT_INLINE static unsigned thread_rank() {
    const uint3 thread = simt::thread_index();
    const dim3 extent = block_extent();
    return (thread.z * extent.y + thread.y) * extent.x + thread.x;
  }
  TALLY_SIMT_INLINE static unsigned size() { return static_cast<unsigned>(block_extent().count()); }
  TALLY_SIMT_INLINE static unsigned num_threads() { return size(); }
  TALLY_SIMT_INLINE static uint3 thread_index() { return simt::thread_index(); }
  TALLY_SIMT_INLINE static uint3 group_index() { return block_index(); }
  TALLY_SIMT_INLINE static dim3 group_dim() { return block_extent(); }
  TALLY_SIMT_INLINE static dim3 dim_threads() { return block_extent(); }
};

TALLY_SIMT_INLINE thread_block this_thread_block() { return {}; }

/// `Size` neighbouring lanes of a warp, a power of two up to 32.
template <unsigned Size>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  TALLY_SIMT_INLINE static unsigned mask() {
    return static_cast<unsigned>((std::uint64_t{1} << Size) - 1) << (lane_index() / Size * Size);
  }
  TALLY_SIMT_INLINE static TALLY_SIMT_CONVERGENT void sync() { __syncwarp(mask()); }
  TALLY_SIMT_INLINE static unsigned thread_rank() { return lane_index() % Size; }
  TALLY_SIMT_INLINE static constexpr unsigned size() { return Size; }
  TALLY_SIMT_INLINE static constexpr unsigned num_threads() { return Size; }
  TALLY_SIMT_INLINE static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  TALLY_SIMT_INLINE static unsigned meta_group_size() { return (thread_block::size() + Size - 1) / Size; }

  template <typename T>
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, Size);
  }
  template <typename T>
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <typename T>
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <typename T>
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT T shfl_xor(T value, unsigned lane_mask) const {
    return __shfl_xor_sync(mask(), value, static_cast<int>(lane_mask), Size);
  }
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT int any(int predicate) const {
    return __any_sync(mask(), predicate);
  }
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT int all(int predicate) const {
    return __all_sync(mask(), predicate);
  }
  TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT unsigned ballot(int predicate) const {
    return __ballot_sync(mask(), predicate) >> (lane_index() / Size * Size);
  }
};

template <unsigned Size>
TALLY_SIMT_INLINE thread_block_tile<Size> tiled_partition(const thread_block&) {
  return {};
}

template <typename Group>
TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT void sync(const Group& group) {
  group.sync();
}

// What reduce() combines two values with. `less` and `greater` give the smaller and the larger, as in CUDA.
template <typename T>
struct plus {
  TALLY_SIMT_INLINE T operator()(T a, T b) const { return a + b; }
};
template <typename T>
struct less {
  TALLY_SIMT_INLINE T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T>
struct greater {
  TALLY_SIMT_INLINE T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T>
struct bit_and {
  TALLY_SIMT_INLINE T operator()(T a, T b) const { return a & b; }
};
template <typename T>
struct bit_or {
  TALLY_SIMT_INLINE T operator()(T a, T b) const { return a | b; }
};
template <typename T>
struct bit_xor {
  TALLY_SIMT_INLINE T operator()(T a, T b) const { return a ^ b; }
};

/// Every lane of the tile gets the combination of all their values, by exchanges at halving distance.
template <unsigned Size, typename T, typename Combine>
TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT T reduce(const thread_block_tile<Size>& tile, T value,
                                                 Combine combine) {
  for (unsigned distance = Size / 2; distance > 0; distance /= 2) {
    const T other = tile.shfl_xor(value, distance);
    value = combine(value, other);
  }
  return value;
}

}  // namespace tally::simt::groups

namespace cooperative_groups = tally::simt::groups;
