#pragma once

#include "task.h"
#include "vectors.cuh"

/// What the 32 lanes of a warp find out about the indices of their window, one in each lane.
namespace tally_index_add {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }

/// 32 bits of which the upper ones are as good as drawn.
template <typename Index>
__device__ unsigned hash_of(Index row) {
  return static_cast<unsigned>(row) * 0x9e3779b9u;
}

/// A mask of the lanes that have the same row.
template <typename Index>
__device__ unsigned lanes_with_same(Index row) {
  if constexpr (sizeof(Index) == 4) {
    return __match_any_sync(all_lanes, static_cast<unsigned>(row));
  } else {
    return __match_any_sync(all_lanes, static_cast<unsigned long long>(row));
  }
}

/// The lanes in the order of their rows: equal ones are neighbours, those without a row come last.
template <typename Index>
struct Sorted {
  int lane;   ///< the lane at this position
  Index row;  ///< its row

  /// same: lanes_with_same(row). order: 32 cells of shared memory, the warp's own.
  __device__ Sorted(Index own_row, unsigned same, int* order) {
    const int own = lane_of_warp();
    const int leader = __ffs(static_cast<int>(same)) - 1;
    const int led = leader == own ? __popc(same) : 0;
    int through = led;  // the rows led by this lane and those below
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const int below = __shfl_up_sync(all_lanes, through, static_cast<unsigned>(distance));
      if (own >= distance) through += below;
    }
    const int first = __shfl_sync(all_lanes, through - led, leader);
    const int place = first + __popc(same & ((1u << own) - 1));
    __syncwarp();  // what the last window put there has been read
    order[place] = own;
    __syncwarp();
    lane = order[own];
    row = __shfl_sync(all_lanes, own_row, lane);
  }
};

/// Adds up over the lanes of `same`, each of which gives the same mask, in a tree; the first of them has the
/// sums. All lanes of the warp.
template <typename T, int Vector>
__device__ void add_over(unsigned same, Sums<T, Vector>& sums) {
  const unsigned below = (1u << lane_of_warp()) - 1;
  int place = __popc(same & below);
  unsigned after = same & ~below & ~(below + 1);
  while (__any_sync(all_lanes, after != 0)) {
    const int next = __ffs(static_cast<int>(after)) - 1;
#pragma unroll
    for (int k = 0; k < Vector; ++k) {
      const Accumulator<T> other = __shfl_sync(all_lanes, sums.of[k], next < 0 ? 0 : next);
      if (next >= 0) sums.of[k] += other;
    }
    // Lanes at odd places have given theirs away.
    after &= __ballot_sync(all_lanes, place % 2 == 0);
    place /= 2;
  }
}

}  // namespace
}  // namespace tally_index_add
