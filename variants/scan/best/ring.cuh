#pragma once

#include "bulk.cuh"

/// The kernel for very large arrays: blocks that stay, each with a ring of tiles in shared memory. While one
/// tile is on its way in, the next is added up, a third waits for what comes before it and a fourth is on its
/// way out, each by warps of its own.
namespace tally_scan::detail {

/// What a block's warps tell one another of the ring's stages.
template <typename T, int Warps, int Stages>
struct Ring {
  std::uint64_t arrived[Stages];   ///< the tile is in shared memory, its number in `tile`
  std::uint64_t summed[Stages];    ///< its warps' sums are in `sums`
  std::uint64_t answered[Stages];  ///< what comes before each warp's part is in `before`
  std::uint64_t freed[Stages];     ///< the results have been read; the stage can take another tile
  std::int64_t tile[Stages];       ///< at least the number of tiles: there is no more
  std::uint64_t tag;               ///< of this call, known when the first tile has arrived
  T sums[Stages][Warps];
  T before[Stages][Warps];
  T before_lane[Stages][Warps * lanes];
};

/// The stage and the round of the ring in which a block's i-th tile passes.
template <int Stages>
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ void advance(int by = 1) {
    stage += by;
    if (stage >= Stages) {
      stage -= Stages;
      parity ^= 1u;
    }
  }
};

/// Threads: `Warps` that scan; one that loads; Delay + 1 that look back, by turns, so that a tile's sum is told
/// at once while those before it are still being waited for. A scanning warp adds up tile i before it finishes
/// tile i - Delay. x and out are aligned to 16 bytes. Dynamic shared memory: Stages tiles.
///
/// Tiles are drawn as tickets: a tile waits only for tiles of lower number, which running blocks hold, however
/// few of the blocks are running. The counter lies in the slot behind the prefixes and has the call's tag;
/// block 0 sets it up. The block that draws the last ticket of all counts the call.
template <typename T, bool Inclusive, int Warps, int Words, int Stages, int Delay, int Near,
          bool Passing>
__global__ void __launch_bounds__((Warps + Delay + 2) * lanes, 1)
    tiles_in_ring(const T* x, T* out, std::int64_t n, std::int64_t tiles, Slots slots, Slot* counter,
                  std::uint64_t tag) {
#if TALLY_SCAN_HOPPER
  static_assert(Words % 2 == 1 && Stages >= Delay + 3);
  constexpr int words_of_warp = lanes * Words;
  constexpr int of_lane = Words * width<T>;
  constexpr int of_warp = lanes * of_lane;
  constexpr int of_tile = Warps * of_warp;
  extern __shared__ __align__(128) uint4 tally_scan_tile[];
  __shared__ Ring<T, Warps, Stages> ring;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  const auto stage_of = [&](int stage) { return tally_scan_tile + stage * Warps * words_of_warp; };
  if (threadIdx.x == 0) {
    for (int s = 0; s < Stages; ++s) {
      make_barrier(ring.arrived + s, 1);
      make_barrier(ring.summed + s, Warps);
      make_barrier(ring.answered + s, 1);
      make_barrier(ring.freed + s, Warps);
    }
    publish_barriers();
  }
  let_later_kernels_start();
  wait_for_earlier_kernels();
  __syncthreads();
  Turn<Stages> turn;

  if (warp == Warps) {  // loads
    if (lane != 0) return;
    const std::uint64_t calls = read_calls(slots);
    ring.tag = tag + calls;
    if (blockIdx.x == 0) write_slot(counter, 0, tag + calls);
    Patience patience;
    while (read_slot(counter).tag != tag + calls) patience.wait();
    for (std::int64_t i = 0;; ++i) {
      const auto tile = static_cast<std::int64_t>(
          atomicAdd(reinterpret_cast<unsigned long long*>(&counter->value), 1ull));
      if (tile >= tiles) {
        if (tile == tiles + gridDim.x - 1) count_call(slots, calls);
        for (int k = 0; k <= Delay; ++k) {  // one for each of the warps that look back
          if (i + k >= Stages) wait_for(ring.freed + turn.stage, turn.parity ^ 1u);
          ring.tile[turn.stage] = tile;
          arrive(ring.arrived + turn.stage);
          turn.advance();
        }
        return;
      }
      if (i >= Stages) wait_for(ring.freed + turn.stage, turn.parity ^ 1u);
      ring.tile[turn.stage] = tile;
      const std::int64_t left = (n - tile * of_tile) * static_cast<std::int64_t>(sizeof(T));
      constexpr auto bytes_of_tile = static_cast<unsigned>(of_tile * sizeof(T));
      const unsigned bytes = left >= bytes_of_tile ? bytes_of_tile : static_cast<unsigned>(left) / 16 * 16;
      fetch_slots<Near>(slots, tile);
      arrive_expecting(ring.arrived + turn.stage, bytes);
      if (bytes != 0) {
        copy_in<Passing>(stage_of(turn.stage), x + tile * of_tile, bytes, ring.arrived + turn.stage);
      }
      turn.advance();
    }
  }

  if (warp > Warps) {  // look back
    turn.advance(warp - Warps - 1);
    for (;;) {
      wait_for(ring.arrived + turn.stage, turn.parity);
      const std::int64_t tile = ring.tile[turn.stage];
      if (tile >= tiles) return;
      wait_for(ring.summed + turn.stage, turn.parity);
      const T up_to = prefix_in_warp(lane < Warps ? ring.sums[turn.stage][lane] : T(0));
      const T total = __shfl_sync(whole_warp, up_to, lanes - 1);
      const T left = of_left_lane(up_to);
      const T before = look_back<Near>(slots, ring.tag, tile, total);
      if (lane < Warps) ring.before[turn.stage][lane] = add(before, left);
      __syncwarp();
      if (lane == 0) arrive(ring.answered + turn.stage);
      turn.advance(Delay + 1);
    }
  }

  // scan
  const auto finish = [&](const Turn<Stages>& of, bool stored_before) {
    wait_for(ring.answered + of.stage, of.parity);
    uint4* const part = stage_of(of.stage) + warp * words_of_warp;
    uint4* const mine = part + lane * Words;
    T running = add(ring.before[of.stage][warp], ring.before_lane[of.stage][threadIdx.x]);
#pragma unroll
    for (int r = 0; r < Words; ++r) {
      Word<T> word;
      word.bits = mine[r];
      running = scan_word<Inclusive>(word, running);
      mine[r] = word.bits;
    }
    const std::int64_t first = ring.tile[of.stage] * of_tile + warp * of_warp;
    if (n - first >= of_warp) {
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      __syncwarp();
      if (lane == 0) {
        copy_out<Passing>(out + first, part, words_of_warp * bytes_of_word);
      }
    } else {
      __syncwarp();
      const T* const items = reinterpret_cast<const T*>(part);
      for (int i = lane; i < of_warp; i += lanes) {
        if (i < n - first) out[first + i] = items[i];
      }
    }
    __syncwarp();
    if (lane == 0) {
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      const int before = of.stage == 0 ? Stages - 1 : of.stage - 1;
      if (stored_before) arrive(ring.freed + before);
    }
  };
  Turn<Stages> behind;
  int waiting = 0;
  bool stored_before = false;
  for (;;) {
    wait_for(ring.arrived + turn.stage, turn.parity);
    const std::int64_t tile = ring.tile[turn.stage];
    const bool more = tile < tiles;
    if (more) {
      const std::int64_t present = n - tile * of_tile;
      uint4* const mine = stage_of(turn.stage) + warp * words_of_warp + lane * Words;
      if (present < of_tile) {  // the array's end: what no copy brought
        T* const items = reinterpret_cast<T*>(mine);
        const std::int64_t copied = present / width<T> * width<T>;
        for (int k = 0; k < of_lane; ++k) {
          const int index = warp * of_warp + lane * of_lane + k;
          if (index >= copied) items[k] = index < present ? __ldcg(x + tile * of_tile + index) : T(0);
        }
      }
      T sum = T(0);
#pragma unroll
      for (int r = 0; r < Words; ++r) {
        Word<T> word;
        word.bits = mine[r];
        sum = add(sum, sum_of(word));
      }
      const T up_to_lane = prefix_in_warp(sum);
      ring.before_lane[turn.stage][threadIdx.x] = of_left_lane(up_to_lane);
      if (lane == lanes - 1) ring.sums[turn.stage][warp] = up_to_lane;
      __syncwarp();
      if (lane == 0) arrive(ring.summed + turn.stage);
      ++waiting;
    }
    while (waiting > (more ? Delay : 0)) {
      finish(behind, stored_before);
      stored_before = true;
      behind.advance();
      --waiting;
    }
    if (!more) break;
    turn.advance();
  }
  if (lane == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#else
  __trap();
#endif
}

}  // namespace tally_scan::detail
