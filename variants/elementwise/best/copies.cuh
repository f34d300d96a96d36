#pragma once

#include "words.cuh"

/// The kernel that moves words by the bulk copy engine: one thread of a block keeps a ring of stages in
/// shared memory filled and emptied, so that the bytes on their way do not depend on registers or warps.
namespace tally_elementwise::detail {

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

#if TALLY_ELEMENTWISE_HOPPER
__device__ inline void expect_bytes(std::uint64_t* arrived, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)),
               "r"(bytes)
               : "memory");
}

/// Starts a copy of `bytes`, a multiple of 16, into shared memory.
__device__ inline void start_copy_in(void* stage, const void* from, unsigned bytes, std::uint64_t* arrived) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(stage)),
      "l"(from), "r"(bytes), "r"(shared_address(arrived))
      : "memory");
}

/// Starts a copy of `bytes`, a multiple of 16, out of shared memory, as a group of its own.
__device__ inline void start_copy_out(void* to, const void* stage, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(stage)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until all copies out but the last `but` have read their stages.
template <int but>
__device__ void wait_until_stages_are_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(but) : "memory");
}

__device__ inline void wait_for_copies_in(std::uint64_t* arrived, unsigned parity) {
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
}
#endif

/// Blocks that take their tiles, of Kernel::stage_bytes, by turns. A result replaces the first input in its
/// stage and is copied out from there; a stage is filled again one turn later, when that copy has read it.
/// Dynamic shared memory: Kernel::shared_bytes(inputs).
template <typename T, int inputs, typename Op, typename Arguments>
__global__ void __launch_bounds__(Arguments::kernel.threads) grid_of_copies(Arrays<T, inputs> arrays, Op op) {
  constexpr Kernel kernel = Arguments::kernel;
#if TALLY_ELEMENTWISE_HOPPER
  constexpr unsigned tile = kernel.stage_bytes / bytes_of_word;
  static_assert(tile % kernel.threads == 0 && kernel.depth >= 2);
  extern __shared__ __align__(128) unsigned char tally_elementwise_stages[];
  __shared__ std::uint64_t arrived[kernel.depth];
  const auto words_of = [&](int stage, int input) {
    return reinterpret_cast<uint4*>(tally_elementwise_stages + (stage * inputs + input) * kernel.stage_bytes);
  };
  const unsigned step = gridDim.x * tile;
  const auto words_at = [&](unsigned first) {
    return arrays.words - first < tile ? arrays.words - first : tile;
  };
  const auto fill = [&](unsigned first, int stage) {
    const unsigned bytes = words_at(first) * bytes_of_word;
    expect_bytes(arrived + stage, bytes * inputs);
#pragma unroll
    for (int j = 0; j < inputs; ++j) {
      start_copy_in(words_of(stage, j), arrays.word_of_input(j, first), bytes, arrived + stage);
    }
  };
  unsigned first = blockIdx.x * tile;
  unsigned to_fill = first;  // the next tile that is not on its way; thread 0 keeps it
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kernel.depth; ++stage) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrived + stage))
                   : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  let_later_kernels_start();
  wait_for_earlier_kernels();
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kernel.depth && to_fill < arrays.words; ++stage, to_fill += step) {
      fill(to_fill, stage);
    }
  }
  if (arrays.ends != 0 && blockIdx.x == gridDim.x - 1) apply_to_ends(op, arrays);
  __syncthreads();  // the barriers are there

  int stage = 0;
  int stage_before = -1;
  unsigned parity = 0;
#pragma unroll 1
  for (; first < arrays.words; first += step) {
    wait_for_copies_in(arrived + stage, parity);
    const unsigned present = words_at(first);
#pragma unroll
    for (unsigned k = 0; k < tile / kernel.threads; ++k) {
      const unsigned at = k * kernel.threads + threadIdx.x;
      if (at < present) {
        uint4 word[inputs];
#pragma unroll
        for (int j = 0; j < inputs; ++j) word[j] = words_of(stage, j)[at];
        words_of(stage, 0)[at] = apply_to_word<T>(op, word);
      }
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the copy out sees what was stored
    __syncthreads();
    if (threadIdx.x == 0) {
      start_copy_out(arrays.word_of_output(first), words_of(stage, 0), present * bytes_of_word);
      if (stage_before >= 0 && to_fill < arrays.words) {
        wait_until_stages_are_read<1>();
        fill(to_fill, stage_before);
        to_fill += step;
      }
    }
    stage_before = stage;
    if (++stage == kernel.depth) {
      stage = 0;
      parity ^= 1u;
    }
  }
  // Shared memory must outlive the copies out of it.
  if (threadIdx.x == 0) wait_until_stages_are_read<0>();
#else
  __trap();
#endif
}

}  // namespace tally_elementwise::detail
