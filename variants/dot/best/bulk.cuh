#pragma once

#include "../../reduce/best/bulk.cuh"
#include "kernels.cuh"

/// The kernel that loads through the bulk copy engine: each stage of the ring holds as many bytes of x as of
/// y. For arrays that lie alike within 16 bytes, since the engine copies nothing finer.
namespace tally_dot::detail {

/// As grid_of_blocks, with tiles of StageBytes of each array. Dynamic shared memory: 2 · Stages · StageBytes.
template <typename T, typename Out, int Threads, int Stages, int StageBytes>
__global__ void __launch_bounds__(Threads)
    grid_of_copies(Pairs pairs, Slots slots, std::uint64_t tag, Out* out) {
#if TALLY_REDUCE_HOPPER
  constexpr int stage_words = StageBytes / bytes_of_word;
  static_assert(stage_words % Threads == 0);
  extern __shared__ __align__(128) unsigned char tally_dot_stages[];
  __shared__ std::uint64_t arrived[Stages];
  const bool last = blockIdx.x == gridDim.x - 1;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * StageBytes;
  const std::int64_t end = pairs.x.words * bytes_of_word;
  const auto* x = static_cast<const unsigned char*>(pairs.x.body);
  const auto* y = static_cast<const unsigned char*>(pairs.y);
  const auto bytes_at = [&](std::int64_t at) {
    return static_cast<unsigned>(end - at < StageBytes ? end - at : StageBytes);
  };
  const auto fill = [&](std::int64_t at, int stage) {
    unsigned char* to = tally_dot_stages + 2 * stage * StageBytes;
    start_copy(to, x + at, bytes_at(at), arrived + stage);
    start_copy(to + StageBytes, y + at, bytes_at(at), arrived + stage);
  };
  std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * StageBytes;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Stages; ++stage) {
      constexpr int copies = 2;
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(arrived + stage)),
                   "n"(copies)
                   : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  fetch_slots<Threads>(slots, out);
  let_later_kernels_start();
  wait_for_earlier_kernels();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Stages && at + stage * step < end; ++stage) fill(at + stage * step, stage);
  }
  const std::uint64_t calls = read_calls(slots, last || threadIdx.x == 0);
  Answer<T> end_of_arrays = 0;
  if (last) end_of_arrays = ends_of<T, Threads>(pairs);
  __syncthreads();  // the barriers are there

  Products<T> products;
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (; at < end; at += step) {
    wait_for_copy(arrived + stage, parity);
    const auto* words = reinterpret_cast<const uint4*>(tally_dot_stages + 2 * stage * StageBytes);
    const int present = static_cast<int>(bytes_at(at)) / bytes_of_word;
    if (present == stage_words) {
#pragma unroll
      for (int k = 0; k < stage_words / Threads; ++k) {
        const int i = k * Threads + static_cast<int>(threadIdx.x);
        products.take(words[i], words[stage_words + i]);
      }
    } else {
      for (int i = static_cast<int>(threadIdx.x); i < present; i += Threads) {
        products.take(words[i], words[stage_words + i]);
      }
    }
    __syncthreads();  // the stage has been read by all
    if (threadIdx.x == 0 && at + Stages * step < end) fill(at + Stages * step, stage);
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1u;
    }
  }
  const Answer<T> sum = reduce_block<Sum, Threads>(products.result() + end_of_arrays);
  meet_in_slots<Sum, Threads>(slots, tag + calls, sum, out, Answer<T>(1));
  if (last) count_call(slots, calls);
#else
  __trap();
#endif
}

}  // namespace tally_dot::detail
