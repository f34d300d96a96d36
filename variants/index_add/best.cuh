#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "best/kernels.cuh"
#include "best/plan.h"

/// A fast index_add for Hopper GPUs (compute capability 9.0; right on those from 8.0 on), to be copied into
/// any program together with the folder best/. Needs C++20 and CUDA's own headers, nothing else.
///
///   tally_index_add::index_add(x, index, source, {.n = n, .rows = rows, .width = width}, alpha, stream);
namespace tally_index_add {

/// x is planes · rows · width elements, source planes · n · width: dim is the one in the middle.
struct Extents {
  std::int64_t n;           ///< indices, and how long source is along dim
  std::int64_t rows;        ///< how long x is along dim
  std::int64_t width = 1;   ///< product of the extents behind dim
  std::int64_t planes = 1;  ///< product of the extents before dim
};

namespace detail {

template <Contention contention, int Vector, typename T, typename Index>
cudaError_t launch(const Task<T, Index, Accumulator<T>>& task, const Plan& plan, cudaStream_t stream) {
  if (plan.shares.vector == Vector) {
    add_rows<T, Index, Vector, contention>
        <<<static_cast<unsigned>(plan.blocks), threads_of_block, 0, stream>>>(task, plan.shares);
    return cudaGetLastError();
  }
  if constexpr (2 * Vector * sizeof(T) <= 16) {
    return launch<contention, 2 * Vector>(task, plan, stream);
  } else {
    return cudaErrorInvalidValue;
  }
}

template <Contention contention, typename T, typename Index>
cudaError_t index_add(const Task<T, Index, Accumulator<T>>& task, cudaStream_t stream) {
  int device = 0;
  int multiprocessors = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  const Plan plan =
      plan_of(task.n, task.width, task.planes, sizeof(T), alignment_of(task.x, task.source), multiprocessors);
  return launch<contention, 1>(task, plan, stream);
}

}  // namespace detail

/// x[p][index[i]][c] += alpha · source[p][i][c], queued in `stream`; nothing is allocated, and there is no
/// state.
///
/// T: float, double, __half, whose products and partial sums are float. Index: std::int32_t, std::int64_t;
/// every
///   index is in [0, rows), else memory that is not x's is written to. An index may occur any number of
///   times.
/// x, source: device memory of any alignment that T allows, which do not overlap; rows · width and n · width
/// of any
///   size. n or an extent of 0: nothing is done.
/// Result: not the same bits from run to run, since rows that are named more than once are added to in any
/// order. Errors: cudaErrorInvalidValue for a negative extent; what the launch gives.
template <typename T, typename Index>
cudaError_t index_add(T* x, const Index* index, const T* source, const Extents& extents, Accumulator<T> alpha,
                      cudaStream_t stream = nullptr) {
  const auto& [n, rows, width, planes] = extents;
  if (n < 0 || rows < 0 || width < 0 || planes < 0) return cudaErrorInvalidValue;
  if (n == 0 || width == 0 || planes == 0) return cudaSuccess;
  const Task<T, Index, Accumulator<T>> task{x, index, source, n, rows, width, planes, alpha};
  return detail::index_add<Contention::sampled>(task, stream);
}

}  // namespace tally_index_add
