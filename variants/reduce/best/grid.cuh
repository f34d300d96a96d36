#pragma once

#include "slots.cuh"

/// The kernel for large arrays that loads through registers: blocks that stay, tile after tile.
namespace tally_reduce::detail {

/// What one block gathers: the tiles blockIdx, blockIdx + gridDim, …, of Threads · Loads words each. `Loads`
/// loads a thread are on their way before the first is used. One value a thread.
template <typename T, typename Op, int Threads, int Loads>
__device__ Answer<T> gather_tiles(const Spans& spans) {
  constexpr int tile = Threads * Loads;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * tile;
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * tile + threadIdx.x;
  const uint4* from = static_cast<const uint4*>(spans.body) + at;
  std::int64_t ahead = spans.words - at;
  Gathered<T, Op> gathered;
#pragma unroll 1
  for (; ahead > (Loads - 1) * Threads; ahead -= step, from += step) {
    uint4 word[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) word[k] = load_word(from + k * Threads);
#pragma unroll
    for (int k = 0; k < Loads; ++k) gathered.take(word[k]);
  }
  if (ahead > 0) {
    uint4 word[Loads];
#pragma unroll
    for (int k = 0; k < Loads; ++k) word[k] = Gathered<T, Op>::neutral();
    load_words<Threads, 0>(word, from, static_cast<int>(ahead));
#pragma unroll
    for (int k = 0; k < Loads; ++k) gathered.take(word[k]);
  }
  return gathered.result();
}

/// Blocks that take their tiles by turns and meet in slots. tag: not of a call that the storage may still
/// remember.
template <typename T, typename Op, int Threads, int Loads, typename Out = Answer<T>>
__global__ void __launch_bounds__(Threads, (Loads > 4 ? 1024 : 2048) / Threads)
    grid_of_blocks(Spans spans, Slots slots, std::uint64_t tag, Out* out, Answer<T> divisor) {
  fetch_slots<Threads>(slots, out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  const bool last = blockIdx.x == gridDim.x - 1;
  const std::uint64_t calls = read_calls(slots, last || threadIdx.x == 0);
  Answer<T> end = Op::template identity<Answer<T>>();
  if (last) end = ends_of<T, Op, Threads>(spans);
  Answer<T> sum = gather_tiles<T, Op, Threads, Loads>(spans);
  sum = reduce_block<Op, Threads>(Op::combine(sum, end));
  meet_in_slots<Op, Threads>(slots, tag + calls, sum, out, divisor);
  if (last) count_call(slots, calls);
}

}  // namespace tally_reduce::detail
