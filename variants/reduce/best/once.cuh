#pragma once

#include "kernel.h"
#include "slots.cuh"

/// The kernels for small arrays, where time is latency: each block loads one tile, all of it at once, and
/// there is as little before the first load and after the last addition as can be. They differ in where
/// blocks meet: nowhere (one block), in one cluster's shared memory, or in slots.
namespace tally_reduce::detail {

/// A small array: fewer than 2^31 words.
struct SmallSpans {
  const uint4* body;
  int words;
  int ends;  ///< elements before the words, and 256 times those behind them

  __host__ static SmallSpans of(const Spans& spans) {
    return {static_cast<const uint4*>(spans.body), static_cast<int>(spans.words),
            spans.head | spans.tail << 8};
  }
  __device__ Spans whole() const { return {body, words, ends & 255, ends >> 8}; }
};

/// This block's tile, the tile-th of the array, reduced to one value a thread. Words that the array does not
/// have are neutral. The block that `takes_ends` takes the array's ends along.
template <typename T, typename Op, int Threads, int Loads>
__device__ Answer<T> gather_once(const SmallSpans& spans, unsigned tile, bool takes_ends) {
  using A = Answer<T>;
  const auto at = static_cast<int>(tile * (Threads * Loads) + threadIdx.x);
  uint4 word[Loads];
#pragma unroll
  for (int k = 0; k < Loads; ++k) word[k] = Gathered<T, Op>::neutral();
  load_words<Threads, 0>(word, spans.body + at, spans.words - at);
  A end = Op::template identity<A>();
  if (takes_ends && spans.ends != 0) end = ends_of<T, Op, Threads>(spans.whole());
  Gathered<T, Op> gathered;
#pragma unroll
  for (int k = 0; k < Loads; ++k) gathered.take(word[k]);
  return Op::combine(gathered.result(), end);
}

/// One block: up to Threads · Loads words.
template <typename T, typename Op, int Threads, int Loads, typename Out = Answer<T>>
__global__ void __launch_bounds__(Threads) one_block(SmallSpans spans, Out* out, Answer<T> divisor) {
  fetch_answer<Threads>(out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  const Answer<T> sum = reduce_block<Op, Threads>(gather_once<T, Op, Threads, Loads>(spans, 0, true));
  if (threadIdx.x < 32) answer<Op>(out, sum, divisor);
}

/// One block for each tile, as many as Kernel::most_tiles() says. The blocks meet in slots, and one warp
/// of the last block combines them.
template <typename T, typename Op, int Threads, int Loads, typename Out = Answer<T>>
__global__ void __launch_bounds__(Threads)
    one_tile_each(SmallSpans spans, Slots slots, std::uint64_t tag, Out* out, Answer<T> divisor) {
  fetch_slots<Threads>(slots, out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  const std::uint64_t calls = read_calls(slots, threadIdx.x < 32);
  const int others = static_cast<int>(gridDim.x) - 1;
  const bool last = static_cast<int>(blockIdx.x) == others;
  const Answer<T> sum =
      reduce_block<Op, Threads>(gather_once<T, Op, Threads, Loads>(spans, blockIdx.x, last));
  constexpr int at_once = Kernel{Way::tile_each, Threads, Loads}.slots_of_lane();
  meet_in_one_warp<Op, at_once>(slots, tag, calls, others, last, sum, out, divisor);
}

/// One cluster of up to 16 blocks, one tile each: every warp leaves its sum in the shared memory of block 0.
/// No storage.
template <typename T, typename Op, int Threads, int Loads, typename Out = Answer<T>>
__global__ void __launch_bounds__(Threads) one_cluster(SmallSpans spans, Out* out, Answer<T> divisor) {
#if TALLY_REDUCE_HOPPER
  using A = Answer<T>;
  constexpr int warps = Threads / 32;
  constexpr int most_blocks = 16;
  __shared__ A of_warp[most_blocks * warps];
  // No block may write into block 0 before that has started.
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");
  let_later_kernels_start();
  wait_for_earlier_kernels();
  A sum = reduce_warp<Op>(gather_once<T, Op, Threads, Loads>(spans, blockIdx.x, blockIdx.x == 0));
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (lane == 0) {
    const auto mine =
        static_cast<unsigned>(__cvta_generic_to_shared(of_warp + blockIdx.x * warps + threadIdx.x / 32));
    unsigned there = 0;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(mine));
    if constexpr (sizeof(A) == 8) {
      asm volatile("st.shared::cluster.b64 [%0], %1;" ::"r"(there), "l"(bits_of(sum)) : "memory");
    } else {
      asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(there), "r"(static_cast<unsigned>(bits_of(sum)))
                   : "memory");
    }
  }
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  if (blockIdx.x != 0) return;
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (threadIdx.x >= 32) return;
  const int count = static_cast<int>(gridDim.x) * warps;
  sum = lane < count ? of_warp[lane] : Op::template identity<A>();
#pragma unroll 4
  for (int i = lane + 32; i < count; i += 32) sum = Op::combine(sum, of_warp[i]);
  sum = reduce_warp<Op>(sum);
  answer<Op>(out, sum, divisor);
#else
  __trap();
#endif
}

}  // namespace tally_reduce::detail
