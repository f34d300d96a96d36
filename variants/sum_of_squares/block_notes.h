#pragma once

#include <cstdint>

#include "harness/device/launch.h"
#include "variants/sum_of_squares/kernel_clock.h"

/// The kernels' side of kernel_clock.h: note_start() comes first in a kernel, note_end() last.
namespace tally {

/// Of the timer that all multiprocessors share.
__device__ inline std::int64_t nanoseconds_now() {
#if defined(__CUDACC__)
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return static_cast<std::int64_t>(now);
#else
  return clock64();
#endif
}

__device__ inline void note_start(BlockTimes* times) {
  if (threadIdx.x != 0) return;
  times[blockIdx.x].start_nanoseconds = nanoseconds_now();
  times[blockIdx.x].start_cycles = clock64();
}

/// Behind a barrier, so that the whole block has ended.
__device__ inline void note_end(BlockTimes* times) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  times[blockIdx.x].end_cycles = clock64();
  times[blockIdx.x].end_nanoseconds = nanoseconds_now();
}

}  // namespace tally
