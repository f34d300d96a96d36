#pragma once

#include "hot_rows.cuh"
#include "plan.h"

/// The kernel: rows of the source are added to those of x, a stretch of the indices a block.
namespace tally_index_add {
namespace {

/// What is done about rows that several indices name.
enum class Contention : std::uint8_t {
  ignored,   ///< every index is an addition to x
  by_warp,   ///< a row is added to once a window
  by_block,  ///< and once a block
  sampled    ///< ignored, or by_block where a sample of a block's indices names few rows
};

constexpr int loads_at_once = 4;
constexpr int worth_sorting = 2;  ///< repeats in a window; fewer cost less than their removal

/// Where one lane works: at a vector of every row of a panel, for the block's indices.
template <typename T, typename Index, int Vector>
struct Place {
  const Index* index;  ///< the block's first
  const T* source;     ///< the lane's vector of the first of its rows
  T* x;                ///< the lane's vector of row 0
  std::int64_t width;
  int count;  ///< of the block's indices
  Accumulator<T> alpha;
  int vectors;  ///< of the panel's rows
  bool in_row;  ///< the lane has one of them
  int rows_at_once;
  int turn;    ///< which of the rows at once is the lane's
  int vector;  ///< which of the panel's vectors

  __device__ Place(const Task<T, Index, Accumulator<T>>& task, const Shares& shares, std::int64_t panel) {
    const std::int64_t begin =
        static_cast<std::int64_t>(blockIdx.x % static_cast<unsigned>(shares.blocks_of_panel)) *
        shares.indices_of_block;
    const std::int64_t plane = shares.parts == 1 ? panel : panel / shares.parts;
    const std::int64_t column = (panel - plane * shares.parts) * 32 * Vector;
    const std::int64_t left = task.n - begin;
    const std::int64_t vectors_left = (task.width - column) / Vector;
    rows_at_once = shares.rows_at_once();
    turn = lane_of_warp() / shares.lanes_of_row;
    vector = lane_of_warp() % shares.lanes_of_row;
    vectors = vectors_left < 32 ? static_cast<int>(vectors_left) : 32;
    in_row = vector < vectors;
    index = task.index + begin;
    source = task.source + (plane * task.n + begin) * task.width + column + vector * Vector;
    x = task.x + plane * task.rows * task.width + column + vector * Vector;
    width = task.width;
    count = left < shares.indices_of_block ? static_cast<int>(left) : shares.indices_of_block;
    alpha = task.alpha;
  }

  __device__ void add_to_x(Index to, const Sums<T, Vector>& sums) const {
    add_atomically(x + static_cast<std::int64_t>(to) * width, sums);
  }
};

/// Indices `first`, first + step, … below `end` as additions of their own. The loads of a batch are on their
/// way before the first is used.
template <typename T, typename Index, int Vector>
struct Batch {
  Index to[loads_at_once];
  Elements<T, Vector> elements[loads_at_once];

  __device__ void load(const Place<T, Index, Vector>& place, int first, int step, int end) {
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      if (first + k * step >= end) break;
      to[k] = place.index[first + k * step];
      elements[k].load(place.source + static_cast<std::int64_t>(first + k * step) * place.width);
    }
  }

  template <typename Emit>
  __device__ void add(const Place<T, Index, Vector>& place, int first, int step, int end, Emit emit) const {
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      if (first + k * step >= end) break;
      Sums<T, Vector> sums;
      sums.clear();
      sums.add(elements[k], place.alpha);
      emit(to[k], sums);
    }
  }

  /// Adds all, of which the first batch is loaded.
  template <typename Emit>
  __device__ void add_all(const Place<T, Index, Vector>& place, int first, int step, int end, Emit emit) {
    while (first < end) {
      add(place, first, step, end, emit);
      first += loads_at_once * step;
      load(place, first, step, end);
    }
  }
};

/// The rows of a window in order, each turn's lanes a part of them; emit(row, sums) gets each row's sum
/// once, or twice where it begins in one turn's part and ends in another's. first, present: the window's
/// indices.
template <typename T, typename Index, int Vector, typename Emit>
__device__ void add_sorted(const Place<T, Index, Vector>& place, int window, int first_of_window, int present,
                           const Sorted<Index>& sorted, Emit emit) {
  const T* const source = place.source + static_cast<std::int64_t>(first_of_window) * place.width;
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
      const bool asked = first - begin + k < part && first + k < present;
      if (asked && place.in_row) elements[k].load(source + from * place.width);
    }
#pragma unroll
    for (int k = 0; k < loads_at_once; ++k) {
      const Index row = __shfl_sync(all_lanes, sorted.row, (first + k) % 32);
      if (first - begin + k >= part || first + k >= present) continue;
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
  if (first_of_same && place.in_row && begin < present) emit(open, sums);
}

/// The block's indices, a window a warp; order: of the warp, as Sorted has it. emit(row, sums) gets what is
/// to be added.
template <typename T, typename Index, int Vector, typename Emit>
__device__ void add_windows(const Place<T, Index, Vector>& place, int window, int* order, Emit emit) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  for (int first = warp * window; first < place.count; first += warps_of_block * window) {
    const int present = place.count - first < window ? place.count - first : window;
    const Index row = lane_of_warp() < present ? place.index[first + lane_of_warp()] : Index(-1);
    const unsigned same = lanes_with_same(row);
    const bool repeats = lane_of_warp() < present && (same & ((1u << lane_of_warp()) - 1)) != 0;
    if (__popc(__ballot_sync(all_lanes, repeats)) >= worth_sorting) {
      add_sorted(place, window, first, present, Sorted<Index>(row, same, order), emit);
    } else {
      Batch<T, Index, Vector> batch;
      const int end = place.in_row ? first + present : 0;
      batch.load(place, first + place.turn, place.rows_at_once, end);
      batch.add_all(place, first + place.turn, place.rows_at_once, end, emit);
    }
  }
}

/// A block's shared memory.
template <typename T, int Vector, Contention contention>
struct Shared {
  int order[warps_of_block][32];
  typename HotRows<T, Vector>::Storage hot_rows;
};
template <typename T, int Vector>
struct Shared<T, Vector, Contention::by_warp> {
  int order[warps_of_block][32];
};
template <typename T, int Vector>
struct Shared<T, Vector, Contention::ignored> {};

/// The panels of a block whose indices name few rows.
template <Contention contention, typename T, typename Index, int Vector>
__device__ void add_repeating(const Task<T, Index, Accumulator<T>>& task, const Shares& shares,
                              std::int64_t panel, std::int64_t panels_at_once,
                              Shared<T, Vector, contention>& shared) {
  int* const order = shared.order[threadIdx.x / 32];
#pragma unroll 1
  for (; panel < shares.panels; panel += panels_at_once) {
    const Place<T, Index, Vector> place(task, shares, panel);
    const auto to_x = [&](Index to, const Sums<T, Vector>& sums) { place.add_to_x(to, sums); };
    if constexpr (contention == Contention::by_warp) {
      add_windows(place, shares.window, order, to_x);
    } else {
      HotRows<T, Vector> hot_rows(&shared.hot_rows, place.vectors);
      hot_rows.clear();
      add_windows(place, shares.window, order, [&](Index to, const Sums<T, Vector>& sums) {
        if (!hot_rows.add(static_cast<std::int64_t>(to), place.vector, sums)) to_x(to, sums);
      });
      hot_rows.flush(place.x - place.vector * Vector, place.width);
    }
  }
}

/// Adds the rows of the source to those of x; shares.blocks_of_panel blocks for each panel.
template <typename T, typename Index, int Vector, Contention contention>
__global__ void __launch_bounds__(threads_of_block, 4)
    add_rows(Task<T, Index, Accumulator<T>> task, Shares shares) {
  constexpr bool looks = contention == Contention::sampled;
  const auto blocks = static_cast<unsigned>(shares.blocks_of_panel);
  const std::int64_t panels_at_once = gridDim.x / blocks;
  std::int64_t panel = blockIdx.x / blocks;
  __shared__ Shared<T, Vector, contention> shared;
  if constexpr (contention == Contention::ignored || looks) {
    Place<T, Index, Vector> place(task, shares, panel);
    const int first = static_cast<int>(threadIdx.x) / 32 * place.rows_at_once + place.turn;
    const int step = warps_of_block * place.rows_at_once;
    Batch<T, Index, Vector> batch;
    batch.load(place, first, step, place.in_row ? place.count : 0);
    // The first loads are on their way. What the indices are like is the same for all panels.
    bool few = false;
    if constexpr (looks) few = name_few_rows(place.index, place.count, shares.few_of_32);
    if (!few) {
      for (;;) {
        batch.add_all(place, first, step, place.in_row ? place.count : 0,
                      [&](Index to, const Sums<T, Vector>& sums) { place.add_to_x(to, sums); });
        panel += panels_at_once;
        if (panel >= shares.panels) return;
        place = Place<T, Index, Vector>(task, shares, panel);
        batch.load(place, first, step, place.in_row ? place.count : 0);
      }
    }
  }
  if constexpr (contention != Contention::ignored) {
    add_repeating<contention, T, Index, Vector>(task, shares, panel, panels_at_once, shared);
  }
}

}  // namespace
}  // namespace tally_index_add
