#pragma once

#include "words.cuh"

/// The kernel that has its tile brought by the bulk copy engine: one request an input in place of one a
/// thread, and no register holds a byte on its way.
namespace tally_elementwise::detail {

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

#if TALLY_ELEMENTWISE_HOPPER
/// Sets up a barrier that one thread arrives at, and that the copies see.
__device__ inline void prepare_barrier(std::uint64_t* arrived) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrived)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// Arrives, and has the barrier wait for so many bytes of copies.
__device__ inline void expect_bytes(std::uint64_t* arrived, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)),
               "r"(bytes)
               : "memory");
}

/// Starts a copy of `bytes`, a multiple of 16, between addresses that are multiples of 16.
__device__ inline void start_copy(void* to, const void* from, unsigned bytes, std::uint64_t* arrived) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(arrived))
      : "memory");
}

__device__ inline void wait_for_copies(std::uint64_t* arrived) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(arrived))
        : "memory");
  }
}
#endif

/// One tile a block, and a block for the elements around the words, as one_tile_each.
/// Dynamic shared memory: Kernel::shared_bytes(inputs).
template <typename T, int inputs, typename Op, typename Arguments>
__global__ void __launch_bounds__(Arguments::kernel.threads)
    one_tile_copied(Arrays<T, inputs> arrays, Op op) {
  constexpr Kernel kernel = Arguments::kernel;
#if TALLY_ELEMENTWISE_HOPPER
  constexpr unsigned tile = kernel.threads * kernel.depth;
  extern __shared__ __align__(128) uint4 tally_elementwise_tiles[];
  __shared__ std::uint64_t arrived;
  const unsigned first = blockIdx.x * tile;
  // The same in all threads. A block with a tile has words of it, so that what it waits for is on its way.
  const bool has_tile = first < arrays.words;
  if (has_tile && threadIdx.x == 0) prepare_barrier(&arrived);
  if constexpr (kernel.next == Next::at_once) let_later_kernels_start();
  wait_for_earlier_kernels();
  if (!has_tile) {
    apply_to_ends(op, arrays);
    return;
  }
  const unsigned present = arrays.words - first < tile ? arrays.words - first : tile;
  if (threadIdx.x == 0) {
    const unsigned bytes = present * bytes_of_word;
    expect_bytes(&arrived, bytes * inputs);
#pragma unroll
    for (int j = 0; j < inputs; ++j) {
      start_copy(tally_elementwise_tiles + j * tile, arrays.word_of_input(j, first), bytes, &arrived);
    }
  }
  __syncthreads();  // the barrier is there for all threads
  wait_for_copies(&arrived);
  if constexpr (kernel.next == Next::when_loaded) let_later_kernels_start();
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    const unsigned at = k * kernel.threads + threadIdx.x;
    if (at < present) {
      uint4 word[inputs];
#pragma unroll
      for (int j = 0; j < inputs; ++j) word[j] = tally_elementwise_tiles[j * tile + at];
      store_word<kernel.stores>(arrays.word_of_output(first + at), apply_to_word<T>(op, word));
    }
  }
  if constexpr (kernel.next == Next::when_stored) let_later_kernels_start();
#else
  __trap();
#endif
}

}  // namespace tally_elementwise::detail
