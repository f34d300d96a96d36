#pragma once

#include "hot_rows.cuh"

/// The kernel: rows of the source are added to those of x, a window of indices a warp.
namespace tally_index_add {
namespace {

/// What is done about rows that several indices of a window name.
enum class Contention : std::uint8_t {
  ignored,  ///< every index is an addition to x
  by_warp,  ///< a row is added to about once a window
  by_block  ///< the same and, where a block's indices name few rows, once a block
};

constexpr int threads_of_block = 256;
constexpr int warps_of_block = threads_of_block / 32;
constexpr int loads_at_once = 4;
constexpr int worth_sorting = 2;  ///< repeats in a window; found by measurement, README.md beside this folder

/// One warp's place in one share: which elements its lanes are at, and what is asked of them.
template <typename T, typename Index, int Vector>
struct Place {
  const T* source;  ///< the lane's column of the window's first row
  T* x;             ///< the lane's column of row 0
  std::int64_t width;
  Accumulator<T> alpha;
  int column;
  bool in_row;  ///< the lane's column exists
  int present;  ///< indices of the window
  int rows_at_once;
  int turn;  ///< which of the rows at once is the lane's

  __device__ void load(Elements<T, Vector>& elements, int position) const {
    if (in_row && position < present) elements.load(source + position * width);
  }
};

/// Every index of the window is an addition of its own: emit(row, sums). `elements` holds the first round of
/// rows.
template <typename T, typename Index, int Vector, typename Emit>
__device__ void add_each(const Place<T, Index, Vector>& place, int window, Index row,
                         Elements<T, Vector> (&elements)[loads_at_once], Emit emit) {
  for (int first = 0;;) {
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      const int position = first + k * place.rows_at_once + place.turn;
      if (first + k * place.rows_at_once >= window) break;
      const Index to = __shfl_sync(all_lanes, row, position % 32);
      if (!place.in_row || position >= place.present) continue;
      Sums<T, Vector> sums;
      sums.clear();
      sums.add(elements[k], place.alpha);
      emit(to, sums);
    }
    first += loads_at_once * place.rows_at_once;
    if (first >= window) return;
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      place.load(elements[k], first + k * place.rows_at_once + place.turn);
    }
  }
}

/// The rows of the window in order, each turn's lanes a part of them; emit(row, sums) gets each row's sum
/// once, or twice where it begins in one turn's part and ends in another's.
template <typename T, typename Index, int Vector, typename Emit>
__device__ void add_sorted(const Place<T, Index, Vector>& place, int window, const Sorted<Index>& sorted,
                           Emit emit) {
  const int part = window / place.rows_at_once;
  const int begin = place.turn * part;
  Index open = __shfl_sync(all_lanes, sorted.row, begin);
  Sums<T, Vector> sums;
  sums.clear();
  for (int first = begin; first - begin < part; first += loads_at_once) {
    Elements<T, Vector> elements[loads_at_once];
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      const int from = __shfl_sync(all_lanes, sorted.lane, (first + k) % 32);
      if (first - begin + k < part && first + k < place.present) place.load(elements[k], from);
    }
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      const Index row = __shfl_sync(all_lanes, sorted.row, (first + k) % 32);
      if (first - begin + k >= part || first + k >= place.present) continue;
      if (row != open) {
        if (place.in_row) emit(open, sums);
        sums.clear();
        open = row;
      }
      if (place.in_row) sums.add(elements[k], place.alpha);
    }
  }
  // The rows that are still open in several turns, column by column: lanes of other columns are not asked.
  const unsigned lanes_of_column =
      static_cast<unsigned>(0xffffffffull / ((1ull << (32 / place.rows_at_once)) - 1))
      << (lane_of_warp() % (32 / place.rows_at_once));
  const unsigned same = lanes_with_same(open) & lanes_of_column;
  add_over(same, sums);
  const bool first_of_same = (same & ((1u << lane_of_warp()) - 1)) == 0;
  if (first_of_same && place.in_row && begin < place.present) emit(open, sums);
}

/// One share: emit(row, sums) gets what is to be added.
template <typename T, typename Index, int Vector, bool Sorts, typename Emit>
__device__ void add_share(const Place<T, Index, Vector>& place, int window, Index row, int least_repeats,
                          int* order, Emit emit) {
  Elements<T, Vector> elements[loads_at_once];
#pragma unroll
  for (int k = 0; k < loads_at_once; ++k) place.load(elements[k], k * place.rows_at_once + place.turn);
  if constexpr (Sorts) {
    const unsigned same = lanes_with_same(row);
    const bool repeats = lane_of_warp() < place.present && (same & ((1u << lane_of_warp()) - 1)) != 0;
    if (__popc(__ballot_sync(all_lanes, repeats)) >= least_repeats) {
      add_sorted(place, window, Sorted<Index>(row, same, order), emit);
      return;
    }
  }
  add_each(place, window, row, elements, emit);
}

/// Adds the rows of the source to those of x; blocks_of_plane blocks for each plane, plane after plane.
/// by_block: rows of at most widest_hot_row.
///
/// least_repeats: windows with fewer indices that repeat another of theirs are added one by one, since
/// sorting them would cost more than it saves.
template <typename T, typename Index, int Vector, Contention contention>
__global__ void __launch_bounds__(threads_of_block, 4)
    add_rows(Task<T, Index, Accumulator<T>> task, Shares shares, std::int64_t blocks_of_plane,
             int least_repeats) {
  constexpr bool sorts = contention != Contention::ignored;
  constexpr bool keeps = contention == Contention::by_block;
  struct Nothing {};
  __shared__ int order[warps_of_block][32];
  __shared__ std::conditional_t<keeps, typename HotRows<T>::Storage, Nothing> storage;
  __shared__ std::conditional_t<keeps, Sample, Nothing> sample;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = lane_of_warp();
  Place<T, Index, Vector> place{};
  place.width = task.width;
  place.alpha = task.alpha;
  place.rows_at_once = 32 / shares.lanes_of_row;
  place.turn = lane / shares.lanes_of_row;
  const std::int64_t step = blocks_of_plane * warps_of_block;
  const std::int64_t first_share = blockIdx.x % blocks_of_plane * warps_of_block + warp;
  for (std::int64_t plane = blockIdx.x / blocks_of_plane; plane < task.planes;
       plane += gridDim.x / blocks_of_plane) {
    T* const x = task.x + plane * task.rows * task.width;
    const T* const source = task.source + plane * task.n * task.width;
    const auto each_share = [&](auto emit) {
      for (std::int64_t share = first_share; share < shares.of_plane(); share += step) {
        const std::int64_t window = shares.parts == 1 ? share : share / shares.parts;
        const std::int64_t first = window * shares.window;
        const std::int64_t column = ((share - window * shares.parts) * 32 + lane % shares.lanes_of_row) *
                                    static_cast<std::int64_t>(Vector);
        const std::int64_t left = task.n - first;
        place.present = left < shares.window ? static_cast<int>(left) : shares.window;
        place.in_row = column < task.width;
        place.source = source + first * task.width + column;
        place.x = x + column;
        place.column = static_cast<int>(column);
        const Index row = lane < place.present ? task.index[first + lane] : Index(-1);
        add_share<T, Index, Vector, sorts>(place, shares.window, row, least_repeats, order[warp], emit);
      }
    };
    const auto add_to_x = [&](Index to, const Sums<T, Vector>& sums) {
      add_atomically(place.x + static_cast<std::int64_t>(to) * task.width, sums);
    };
    if constexpr (keeps) {
      // Its rows are narrow, so that a share is a window.
      const std::int64_t mine = first_share * shares.window + lane;
      const bool present = lane < shares.window && mine < task.n;
      if (sample.repeats(present ? task.index[mine] : Index(-1), present)) {
        HotRows<T> hot_rows(&storage, static_cast<int>(task.width));
        hot_rows.clear();
        each_share([&](Index to, const Sums<T, Vector>& sums) {
          if (!hot_rows.add(static_cast<std::int64_t>(to), place.column, sums)) add_to_x(to, sums);
        });
        hot_rows.flush(x);
        continue;
      }
    }
    each_share(add_to_x);
  }
}

}  // namespace
}  // namespace tally_index_add
