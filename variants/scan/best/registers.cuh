#pragma once

#include "block.cuh"

/// The kernel for small and middle arrays: tiles in registers.
namespace tally_scan::detail {

/// Past the first-level cache: that could hold what a kernel before this one has since replaced, since a
/// programmatic launch overlaps it.
__device__ inline uint4 load_word(const void* address) {
  uint4 word;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(address)
               : "memory");
  return word;
}

/// A warp's rows of 32 words each. Where the array is not aligned, or ends within the tile, elements are
/// moved one by one, neighbouring lanes moving neighbours, and change places in shared memory.
template <typename T, int Words>
struct Rows {
  static constexpr int row = lanes * width<T>;
  Word<T> words[Words];

  __device__ void load(const T* from) {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
#pragma unroll
    for (int r = 0; r < Words; ++r) words[r].bits = load_word(from + r * row + lane * width<T>);
  }

  __device__ void store(T* to) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
#pragma unroll
    for (int r = 0; r < Words; ++r) {
      __stcs(reinterpret_cast<uint4*>(to + r * row + lane * width<T>), words[r].bits);
    }
  }

  /// `count` may be negative: nothing of the warp's part exists.
  __device__ void load_single(const T* from, std::int64_t count, T* exchange) {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
#pragma unroll
    for (int r = 0; r < Words; ++r) {
#pragma unroll
      for (int k = 0; k < width<T>; ++k) {
        const int i = r * row + k * lanes + lane;
        words[r].items[k] = i < count ? __ldcg(from + i) : T(0);
      }
    }
#pragma unroll
    for (int r = 0; r < Words; ++r) {
#pragma unroll
      for (int k = 0; k < width<T>; ++k) exchange[k * lanes + lane] = words[r].items[k];
      __syncwarp();
      words[r].bits = reinterpret_cast<const uint4*>(exchange)[lane];
      __syncwarp();
    }
  }

  __device__ void store_single(T* to, std::int64_t count, T* exchange) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
#pragma unroll
    for (int r = 0; r < Words; ++r) {
      reinterpret_cast<uint4*>(exchange)[lane] = words[r].bits;
      __syncwarp();
#pragma unroll
      for (int k = 0; k < width<T>; ++k) {
        const int i = r * row + k * lanes + lane;
        if (i < count) to[i] = exchange[k * lanes + lane];
      }
      __syncwarp();
    }
  }
};

/// A warp holds a contiguous part of the tile, row after row; each row is scanned by shuffles.
template <typename T, bool Inclusive, int Threads, int Words, int Near>
__global__ void __launch_bounds__(Threads)
    tiles_in_registers(const T* x, T* out, std::int64_t n, Slots slots, std::uint64_t tag) {
  __shared__ uint4 exchange[Threads];
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  constexpr int of_warp = Rows<T, Words>::row * Words;
  const Tile<T> tile = tile_of_block(x, out, n, static_cast<std::int64_t>(of_warp) * (Threads / lanes));
  const T* const from = tile.x + warp * of_warp;
  T* const to = tile.out + warp * of_warp;
  const std::int64_t count = tile.count - warp * of_warp;
  T* const exchange_of_warp = reinterpret_cast<T*>(exchange + warp * lanes);

  let_later_kernels_start();
  wait_for_earlier_kernels();
  Rows<T, Words> rows;
  if (count >= of_warp && is_aligned(x)) {
    rows.load(from);
  } else {
    rows.load_single(from, count, exchange_of_warp);
  }
  std::uint64_t calls = 0;
  if (gridDim.x > 1 && warp == 0) {
    calls = read_calls(slots);
    if (threadIdx.x == 0) fetch_slots<Near>(slots, blockIdx.x);
  }

  T before_lane[Words];
  T total = T(0);
#pragma unroll
  for (int r = 0; r < Words; ++r) before_lane[r] = prefix_in_warp(sum_of(rows.words[r]));
#pragma unroll
  for (int r = 0; r < Words; ++r) {
    const T of_row = __shfl_sync(whole_warp, before_lane[r], lanes - 1);
    before_lane[r] = add(total, of_left_lane(before_lane[r]));
    total = add(total, of_row);
  }
  const T before = before_warp<Threads, Near>(slots, tag, calls, total);
#pragma unroll
  for (int r = 0; r < Words; ++r) scan_word<Inclusive>(rows.words[r], add(before, before_lane[r]));
  if (count >= of_warp && is_aligned(out)) {
    rows.store(to);
  } else {
    rows.store_single(to, count, exchange_of_warp);
  }
}

}  // namespace tally_scan::detail
