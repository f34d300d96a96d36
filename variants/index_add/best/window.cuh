#pragma once

#include "task.h"
#include "vectors.cuh"

/// What the 32 lanes of a warp find out about the indices of their window, one in each lane.
namespace tally_index_add {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane_of_warp() { return static_cast<int>(threadIdx.x) % 32; }

/// 32 bits as good as drawn.
template <typename Index>
__device__ unsigned hash_of(Index row) {
  auto bits = static_cast<unsigned>(row) ^ static_cast<unsigned>(static_cast<std::uint64_t>(row) >> 32);
  bits = (bits ^ bits >> 16) * 0x85ebca6bu;
  bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
  return bits ^ bits >> 16;
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

/// Whether `count` indices name few rows, by a sample of one in each 32nd of them: at most few_of_32, or as
/// large a part of fewer. At a place that is drawn, since indices that name rows by turns would else be taken
/// for all the same. No two warps that look at one place differ.
///
/// A bitmap of hashes comes first: it counts too few rows, never too many, and costs little. Where it counts
/// few the indices are compared, since among hundreds of blocks it is wrong about some.
template <typename Index>
__device__ bool name_few_rows(const Index* index, int count, int few_of_32) {
  constexpr int bitmap_words = 4;
  const int stretch = count < 32 ? 1 : count / 32;
  const auto drawn = static_cast<int>(
      static_cast<std::uint64_t>(hash_of(lane_of_warp() + 1)) * static_cast<unsigned>(stretch) >> 32);
  const int at = lane_of_warp() * stretch + drawn;
  const bool present = at < count;
  const Index row = present ? index[at] : Index(-1);
  const unsigned bit = hash_of(row);
  int rows = 0;
#pragma unroll
  for (unsigned word = 0; word < bitmap_words; ++word) {
    const bool mine = present && bit / 32 % bitmap_words == word;
    rows += __popc(__reduce_or_sync(all_lanes, mine ? 1u << bit % 32 : 0u));
  }
  const int few = few_of_32 * (count < 32 ? count : 32);
  if (32 * rows > few) return false;
  const bool first_of_row = (lanes_with_same(row) & ((1u << lane_of_warp()) - 1)) == 0;
  return 32 * __popc(__ballot_sync(all_lanes, present && first_of_row)) <= few;
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
