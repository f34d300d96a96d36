#pragma once

#include "../../reduce/best/kernel.h"
#include "../../reduce/best/slots.cuh"
#include "words.cuh"

/// The kernels that load through registers, for small arrays and for large ones. They are reduce's
/// (reduce/best/ once.cuh and grid.cuh say why they are as they are), with pairs of words in place of words.
namespace tally_dot::detail {

using tally_reduce::Kernel;
using tally_reduce::Way;
using namespace tally_reduce::detail;  // blocks.cuh and slots.cuh: what any sum over blocks is made of

/// The tile-th tile of Threads · Loads words of each array, multiplied and added up to one value a thread.
/// The block that `takes_ends` takes the arrays' ends along.
template <typename T, int Threads, int Loads, bool Shifted>
__device__ Answer<T> multiply_once(const Pairs& pairs, int tile, bool takes_ends) {
  using Mine = Share<Loads, Shifted>;
  const Pointers<Shifted> from(pairs);
  const int at = (tile * (Threads / 32) + static_cast<int>(threadIdx.x) / 32) * Mine::words;
  const int present = static_cast<int>(pairs.x.words) - at;
  Mine share;
  share.load(from, at, present);
  Answer<T> end = 0;
  if (takes_ends && (pairs.x.head | pairs.x.tail) != 0) end = ends_of<T, Threads>(pairs);
  Products<T> products;
  share.add_to(products, from, present);
  return products.result() + end;
}

/// One block: up to Threads · Loads words of each array.
template <typename T, typename Out, int Threads, int Loads, bool Shifted>
__global__ void __launch_bounds__(Threads) one_block(Pairs pairs, Out* out) {
  fetch_answer<Threads>(out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  const Answer<T> sum = reduce_block<Sum, Threads>(multiply_once<T, Threads, Loads, Shifted>(pairs, 0, true));
  if (threadIdx.x < 32) answer<Sum>(out, sum, Answer<T>(1));
}

/// One block for each tile, as many as Kernel::most_tiles() says. The blocks meet in slots.
template <typename T, typename Out, int Threads, int Loads, bool Shifted>
__global__ void __launch_bounds__(Threads)
    one_tile_each(Pairs pairs, Slots slots, std::uint64_t tag, Out* out) {
  fetch_slots<Threads>(slots, out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  const std::uint64_t calls = read_calls(slots, threadIdx.x < 32);
  const int others = static_cast<int>(gridDim.x) - 1;
  const bool last = static_cast<int>(blockIdx.x) == others;
  const Answer<T> sum = reduce_block<Sum, Threads>(
      multiply_once<T, Threads, Loads, Shifted>(pairs, static_cast<int>(blockIdx.x), last));
  constexpr int at_once = Kernel{Way::tile_each, Threads, Loads}.slots_of_lane();
  meet_in_one_warp<Sum, at_once>(slots, tag, calls, others, last, sum, out, Answer<T>(1));
}

/// What one block multiplies and adds up: the tiles blockIdx, blockIdx + gridDim, … One value a thread.
template <typename T, int Threads, int Loads, bool Shifted>
__device__ Answer<T> multiply_tiles(const Pairs& pairs) {
  using Mine = Share<Loads, Shifted>;
  constexpr int warps = Threads / 32;
  const Pointers<Shifted> from(pairs);
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * warps * Mine::words;
  std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * warps + threadIdx.x / 32) * Mine::words;
  Products<T> products;
#pragma unroll 1
  for (; at + Mine::words <= pairs.x.words; at += step) {
    Mine share;
    share.load(from, at);
    share.add_to(products, from);
  }
  if (at < pairs.x.words) {
    const auto present = static_cast<int>(pairs.x.words - at);
    Mine share;
    share.load(from, at, present);
    share.add_to(products, from, present);
  }
  return products.result();
}

/// Blocks that take their tiles by turns and meet in slots. tag: not of a call that the storage may still
/// remember.
template <typename T, typename Out, int Threads, int Loads, bool Shifted>
__global__ void __launch_bounds__(Threads, (Loads > 2 ? 1024 : 2048) / Threads)
    grid_of_blocks(Pairs pairs, Slots slots, std::uint64_t tag, Out* out) {
  fetch_slots<Threads>(slots, out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  const bool last = blockIdx.x == gridDim.x - 1;
  const std::uint64_t calls = read_calls(slots, last || threadIdx.x == 0);
  Answer<T> end = 0;
  if (last) end = ends_of<T, Threads>(pairs);
  Answer<T> sum = multiply_tiles<T, Threads, Loads, Shifted>(pairs);
  sum = reduce_block<Sum, Threads>(sum + end);
  meet_in_slots<Sum, Threads>(slots, tag + calls, sum, out, Answer<T>(1));
  if (last) count_call(slots, calls);
}

}  // namespace tally_dot::detail
