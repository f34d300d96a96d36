#pragma once

#include "block.cuh"

/// The kernel for large arrays: tiles in shared memory, moved in and out by the bulk copy engine, so that the
/// bytes on their way depend neither on registers nor on how many warps wait.
namespace tally_scan::detail {

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Starts a copy of `bytes` (a multiple of 16) from global to shared memory, which reports to the barrier.
__device__ inline void copy_in(void* to, const void* from, unsigned bytes, std::uint64_t* arrived) {
#if TALLY_SCAN_HOPPER
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(arrived))
      : "memory");
#endif
}

/// Starts a copy of what the calling thread has fenced from shared to global memory.
__device__ inline void copy_out(void* to, const void* from, unsigned bytes) {
#if TALLY_SCAN_HOPPER
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
#endif
}

__device__ inline void make_barrier(std::uint64_t* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals)
               : "memory");
}

/// After which the barriers made by the calling thread are known to the copy engine too.
__device__ inline void publish_barriers() {
#if TALLY_SCAN_HOPPER
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Arrives; the barrier also waits for that many bytes of copies.
__device__ inline void arrive_expecting(std::uint64_t* barrier, unsigned bytes) {
#if TALLY_SCAN_HOPPER
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
#endif
}

__device__ inline void wait_for(std::uint64_t* barrier, unsigned parity) {
#if TALLY_SCAN_HOPPER
  unsigned done = 0;
  Patience patience;
  while (done == 0) {
    asm volatile(
        "{ .reg .pred p;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
    patience.wait();
  }
#endif
}

/// As a bulk copy of the warp's part, where the array is not aligned or ends within it: neighbouring lanes
/// copy neighbouring elements, without passing them through registers.
template <typename T>
__device__ void copy_in_single(T* to, const T* from, std::int64_t count, int elements) {
#if TALLY_SCAN_HOPPER
#pragma unroll 8
  for (int i = static_cast<int>(threadIdx.x) % lanes; i < elements; i += lanes) {
    const int bytes = i < count ? static_cast<int>(sizeof(T)) : 0;  // the rest is filled with zeros
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to + i)),
                 "l"(bytes != 0 ? from + i : from), "n"(sizeof(T)), "r"(bytes)
                 : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// A warp's part of the tile is copied in as it lies; each lane has `Words` neighbouring words of it. Words
/// is odd: eight lanes, which shared memory serves at a time, then meet in no bank. Dynamic shared memory:
/// the tile.
template <typename T, bool Inclusive, int Threads, int Words, int Near>
__global__ void __launch_bounds__(Threads)
    tiles_by_bulk_copies(const T* x, T* out, std::int64_t n, Slots slots, std::uint64_t tag) {
#if TALLY_SCAN_HOPPER
  static_assert(Words % 2 == 1);
  constexpr int words_of_warp = lanes * Words;
  constexpr int of_warp = words_of_warp * width<T>;
  constexpr unsigned bytes_of_warp = words_of_warp * bytes_of_word;
  extern __shared__ __align__(128) uint4 tally_scan_tile[];
  __shared__ std::uint64_t arrived[Threads / lanes];
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp = static_cast<int>(threadIdx.x) / lanes;
  const Tile<T> tile = tile_of_block(x, out, n, static_cast<std::int64_t>(of_warp) * (Threads / lanes));
  const T* const from = tile.x + warp * of_warp;
  T* const to = tile.out + warp * of_warp;
  const std::int64_t count = tile.count - warp * of_warp;
  uint4* const part = tally_scan_tile + warp * words_of_warp;
  uint4* const mine = part + lane * Words;

  let_later_kernels_start();
  wait_for_earlier_kernels();
  const bool in_bulk = count >= of_warp && is_aligned(x);
  if (in_bulk) {
    if (lane == 0) {
      make_barrier(arrived + warp, 1);
      publish_barriers();
      arrive_expecting(arrived + warp, bytes_of_warp);
      copy_in(part, from, bytes_of_warp, arrived + warp);
    }
  } else {
    copy_in_single(reinterpret_cast<T*>(part), from, count, of_warp);
  }
  std::uint64_t calls = 0;
  if (gridDim.x > 1 && warp == 0) {
    calls = read_calls(slots);
    if (lane == 0) fetch_slots<Near>(slots, blockIdx.x);
  }
  __syncwarp();  // the barrier is there, or what the other lanes copied
  if (in_bulk) wait_for(arrived + warp, 0);

  T sum = T(0);
#pragma unroll
  for (int r = 0; r < Words; ++r) {
    Word<T> word;
    word.bits = mine[r];
    sum = add(sum, sum_of(word));
  }
  const T up_to_lane = prefix_in_warp(sum);
  const T before_lane = of_left_lane(up_to_lane);
  const T total = __shfl_sync(whole_warp, up_to_lane, lanes - 1);
  T running = add(before_warp<Threads, Near>(slots, tag, calls, total), before_lane);
#pragma unroll
  for (int r = 0; r < Words; ++r) {
    Word<T> word;
    word.bits = mine[r];
    running = scan_word<Inclusive>(word, running);
    mine[r] = word.bits;
  }
  if (count >= of_warp && is_aligned(out)) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the copy engine reads what was stored
    __syncwarp();
    if (lane == 0) {
      copy_out(to, part, bytes_of_warp);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");  // shared memory must live as long
    }
  } else {
    __syncwarp();
    const T* const items = reinterpret_cast<const T*>(part);
#pragma unroll 4
    for (int i = lane; i < of_warp; i += lanes) {
      if (i < count) to[i] = items[i];
    }
  }
#else
  __trap();
#endif
}

}  // namespace tally_scan::detail
