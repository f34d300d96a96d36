#pragma once

#include <cuda_fp16.h>

#include "tests/variants/on_gpu/timing.cuh"
#include "tests/variants/on_gpu/values.cuh"
#include "variants/index_add/best.cuh"

/// Inputs of index_add whose sums every type holds exactly, and the kernel that best.cuh is held against.
namespace tune {

using tally_index_add::Extents;

/// Indices that take `distinct` values, spread over the rows: `in_turn`, each as often as the others and one
/// after the other; else drawn. As many as there are indices: all different where the number of rows is a
/// power of two.
template <typename Index>
__global__ void draw_indices(Index* index, std::int64_t n, std::int64_t rows, std::int64_t distinct,
                             bool in_turn) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    const auto drawn = static_cast<std::int64_t>(value_at(i, 99u, 1 << 30)) + (std::int64_t{1} << 30);
    const auto which = static_cast<std::uint64_t>(in_turn || distinct == n ? i % distinct : drawn % distinct);
    index[i] = static_cast<Index>(which * 0xd1342543de82ef95ull % static_cast<std::uint64_t>(rows));
  }
}

/// One element a thread and nothing but an atomic: as variants/index_add/oneflow_index_add.cu.
template <typename T, typename Index>
__global__ void plain_add(T* x, const Index* index, const T* source, std::int64_t elements,
                          std::int64_t stride, std::int64_t source_length, std::int64_t delta, float alpha) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t size_along = stride * source_length;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    const std::int64_t before = i / size_along;
    const std::int64_t along = (i - before * size_along) / stride;
    const std::int64_t row = index[along];
    atomicAdd(x + i + (delta * before + row - along) * stride, static_cast<T>(alpha) * source[i]);
  }
}

template <typename T, typename Index>
void plain_index_add(T* x, const Index* index, const T* source, const Extents& e, float alpha,
                     cudaStream_t stream) {
  const std::int64_t elements = e.planes * e.n * e.width;
  const std::int64_t blocks = std::min<std::int64_t>((elements + 255) / 256, 1 << 20);
  plain_add<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(x, index, source, elements, e.width, e.n,
                                                               e.rows - e.n, alpha);
  TUNE_REQUIRE(cudaGetLastError());
}

}  // namespace tune
