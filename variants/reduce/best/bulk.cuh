#pragma once

#include "slots.cuh"

/// The kernel that loads through the bulk copy engine: one thread of a block keeps a ring of stages in shared
/// memory filled, so that the bytes on their way do not depend on registers or on how many warps wait.
namespace tally_reduce::detail {

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Starts the copy of `bytes` (a multiple of 16) and tells the barrier how many to expect.
__device__ inline void start_copy(void* stage, const void* from, unsigned bytes, std::uint64_t* arrived) {
#if TALLY_REDUCE_HOPPER
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)),
               "r"(bytes)
               : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(stage)),
      "l"(from), "r"(bytes), "r"(shared_address(arrived))
      : "memory");
#endif
}

__device__ inline void wait_for_copy(std::uint64_t* arrived, unsigned parity) {
#if TALLY_REDUCE_HOPPER
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(arrived)), "r"(parity)
        : "memory");
  }
#endif
}

/// As grid_of_blocks, with a tile of StageBytes. Copies of memory that does not begin at a multiple of 128
/// bytes are a fifth slower: the words of `spans` should. Dynamic shared memory: Stages · StageBytes.
template <typename T, typename Op, int Threads, int Stages, int StageBytes, typename Out = Answer<T>>
__global__ void __launch_bounds__(Threads)
    grid_of_copies(Spans spans, Slots slots, std::uint64_t tag, Out* out, Answer<T> divisor) {
#if TALLY_REDUCE_HOPPER
  constexpr int stage_words = StageBytes / bytes_of_word;
  static_assert(stage_words % Threads == 0);
  extern __shared__ __align__(128) unsigned char tally_reduce_stages[];
  __shared__ std::uint64_t arrived[Stages];
  const bool last = blockIdx.x == gridDim.x - 1;
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * StageBytes;
  const auto* body = static_cast<const unsigned char*>(spans.body);
  const std::int64_t end = spans.words * bytes_of_word;
  const auto bytes_at = [&](std::int64_t at) {
    return static_cast<unsigned>(end - at < StageBytes ? end - at : StageBytes);
  };
  const auto fill = [&](std::int64_t at, int stage) {
    start_copy(tally_reduce_stages + stage * StageBytes, body + at, bytes_at(at), arrived + stage);
  };
  std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * StageBytes;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Stages; ++stage) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrived + stage))
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
  Answer<T> end_of_array = Op::template identity<Answer<T>>();
  if (last) end_of_array = ends_of<T, Op, Threads>(spans);
  __syncthreads();  // the barriers are there

  Gathered<T, Op> gathered;
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (; at < end; at += step) {
    wait_for_copy(arrived + stage, parity);
    const auto* words = reinterpret_cast<const uint4*>(tally_reduce_stages + stage * StageBytes);
    const int present = static_cast<int>(bytes_at(at)) / bytes_of_word;
    if (present == stage_words) {
#pragma unroll
      for (int k = 0; k < stage_words / Threads; ++k) gathered.take(words[k * Threads + threadIdx.x]);
    } else {
      for (int i = static_cast<int>(threadIdx.x); i < present; i += Threads) gathered.take(words[i]);
    }
    __syncthreads();  // the stage has been read by all
    if (threadIdx.x == 0 && at + Stages * step < end) fill(at + Stages * step, stage);
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1u;
    }
  }
  const Answer<T> sum = reduce_block<Op, Threads>(Op::combine(gathered.result(), end_of_array));
  meet_in_slots<Op, Threads>(slots, tag + calls, sum, out, divisor);
  if (last) count_call(slots, calls);
#else
  __trap();
#endif
}

}  // namespace tally_reduce::detail
