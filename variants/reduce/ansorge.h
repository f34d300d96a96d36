#pragma once

#include <cstdint>

#include "harness/device/launch.h"
#if defined(__CUDACC__)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#else
#include "harness/device/simt/cooperative_groups.h"
#endif

/// What the files of the series ansorge have in common.
namespace tally {

namespace cg = cooperative_groups;

constexpr const char* book = "R. Ansorge, \"Programming in Parallel with CUDA\", Cambridge, 2022";
constexpr std::int64_t published_later_n = 1 << 26;
constexpr std::int64_t lanes = 32;

/// The first and the last element of the thread's share stand `threads in the grid` apart.
__device__ inline std::int64_t thread_of_grid() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t threads_of_grid() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

/// The warp's total, in its lane 0; every lane of the warp must call it.
template <typename A, typename Op, typename Warp>
__device__ A total_of_warp(const Warp& warp, A sum, Op op) {
#pragma unroll
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) sum = op(sum, warp.shfl_down(sum, offset));
  return sum;
}

}  // namespace tally
