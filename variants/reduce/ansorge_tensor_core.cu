/// The last stage of the ladder in ansorge.cu, from the book's chapter 11: a sum of halves on tensor cores.
///
///   tensor_core  a tile of 16 × 16 halves, multiplied by a matrix of ones, gives the sums of its columns
///
/// Tensor cores cannot be had from plain C++, so this file's kernels are compiled by nvcc only.
#include <algorithm>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/two_launches.h"
#if defined(__CUDACC__)
#include <mma.h>
#endif

namespace tally {
namespace {

constexpr std::int64_t lanes = 32;
constexpr std::int64_t tile_side = 16;
constexpr std::int64_t tile_elements = tile_side * tile_side;
constexpr std::int64_t tiles_between_roundings = 16;
constexpr std::int64_t threads_of_second = 256;

#if defined(__CUDACC__)
namespace wmma = nvcuda::wmma;

__device__ float total_of_warp(float sum) {
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  }
  return sum;
}

/// The block's total, in its thread 0. `totals` holds a cell a warp.
__device__ float total_of_block(float sum, float* totals) {
  const unsigned id = threadIdx.x;
  sum = total_of_warp(sum);
  if (id % lanes == 0) totals[id / lanes] = sum;
  __syncthreads();
  return id < lanes ? total_of_warp(id < blockDim.x / lanes ? totals[id] : 0.0f) : 0.0f;
}

/// The array as a head, whole tiles and a tail: a tile must lie at a multiple of 32 bytes.
struct Tiles {
  std::int64_t head;   ///< elements before the first tile, fewer than 16
  std::int64_t count;  ///< whole tiles
  std::int64_t tail;   ///< elements after them, fewer than 256
};

Tiles tiles_of(const half* x, std::int64_t n) {
  constexpr std::int64_t alignment = 32;
  constexpr auto element = static_cast<std::int64_t>(sizeof(half));
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) % alignment);
  const std::int64_t head = std::min(n, (alignment - address) % alignment / element);
  const std::int64_t count = (n - head) / tile_elements;
  return {head, count, n - head - count * tile_elements};
}

/// Every warp adds its tiles to an accumulator of 16 × 16 floats, whose rows are all alike: row 0 holds the
/// sums of the 16 columns. Tensor cores cut off what does not fit where others round, which pulls a long sum
/// down; so after every 16 tiles the accumulator is emptied into registers, which round.
__global__ void tensor_core(float* partials, const half* x, Tiles tiles) {
  auto* shared = dynamic_shared<float>();
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t warps = threads / lanes;

  wmma::fragment<wmma::matrix_a, tile_side, tile_side, tile_side, half, wmma::row_major> ones;
  wmma::fragment<wmma::matrix_b, tile_side, tile_side, tile_side, half, wmma::row_major> tile;
  wmma::fragment<wmma::accumulator, tile_side, tile_side, tile_side, float> columns;
  wmma::fragment<wmma::accumulator, tile_side, tile_side, tile_side, float> totals;
  wmma::fill_fragment(ones, half(1.0f));
  wmma::fill_fragment(totals, 0.0f);
  const half* first_tile = x + tiles.head;
  std::int64_t next = thread / lanes;
  while (next < tiles.count) {
    wmma::fill_fragment(columns, 0.0f);
    for (int k = 0; k < tiles_between_roundings && next < tiles.count; ++k, next += warps) {
      wmma::load_matrix_sync(tile, first_tile + next * tile_elements, tile_side);
      wmma::mma_sync(columns, ones, tile, columns);
    }
    for (int k = 0; k < columns.num_elements; ++k) totals.x[k] += columns.x[k];
  }

  float* matrix = shared + threadIdx.x / lanes * tile_elements;
  wmma::store_matrix_sync(matrix, totals, tile_side, wmma::mem_row_major);
  __syncwarp();
  const unsigned lane = threadIdx.x % lanes;
  float sum = lane < tile_side ? matrix[lane] : 0.0f;
  if (thread < tiles.head) sum += static_cast<float>(x[thread]);
  const half* first_of_tail = first_tile + tiles.count * tile_elements;
  for (std::int64_t i = thread; i < tiles.tail; i += threads) sum += static_cast<float>(first_of_tail[i]);
  __syncthreads();  // the matrices have been read: their place is free for the warps' totals
  sum = total_of_block(sum, shared);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

__global__ void add_partials(float* out, const float* partials, std::int64_t count, Sum<float> op) {
  float sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) sum += partials[i];
  sum = total_of_block(sum, dynamic_shared<float>());
  if (threadIdx.x == 0) out[0] = op.finish(sum);
}
#endif

TALLY_VARIANT(Reduce, ansorge, tensor_core)
    .follows("reduce8")
    .lesson(
        "A matrix of ones turns the tensor cores into adders: 256 halves an instruction, accumulated in "
        "float32. A sum is bound by memory, so the cores mostly wait; what is won is free instructions. The "
        "tiles' loads are not wide, and that may cost more.")
    .source("R. Ansorge, \"Programming in Parallel with CUDA\", Cambridge, 2022, chapter 11")
    .types<half>()
    .tunable("threads", {256, 128, 512}, both(rules::whole_warps, rules::block_size))
    .tunable("blocks", {264, 528, 1056, 2112}, rules::positive)
    .knob("op", {"sum", "mean"})
    .compute_capability(70)
    .not_on(DeviceKind::simt, "tensor cores (wmma) are not emulated")
    .additions([](const ProblemKey& key, const Tuning& t) {
      // Cutting off is two roundings' worth: 16 instructions a round, each of 16 products and a sum.
      const std::int64_t round = 2 * (tiles_between_roundings + tile_side + 1);
      const std::int64_t warps = t["blocks"] * t["threads"] / lanes;
      const std::int64_t rounds = blocks_for(key.n, tile_elements * warps * tiles_between_roundings);
      const std::int64_t tail = 1 + blocks_for(tile_elements, warps * lanes);
      return static_cast<double>(round + rounds + tail + 10 + blocks_for(t["blocks"], threads_of_second) + 10);
    })
    .cost(cost_of_two_launches)
    // clang-format off
    TALLY_ON_CUDA(.prepare([](Reduce<half, Sum<float>> problem, const Tuning& t, Scratch& scratch) {
      const std::int64_t threads = t["threads"];
      const std::int64_t blocks = t["blocks"];
      const Tiles tiles = tiles_of(problem.x, problem.n);
      const std::int64_t shared_bytes = threads / lanes * tile_elements * static_cast<std::int64_t>(sizeof(float));
      auto* partials = scratch.array<float>(blocks);
      return [=](Queue& q) {
        q.launch(tensor_core, {blocks, threads, shared_bytes}, partials, problem.x, tiles);
        q.launch(add_partials, {1, threads_of_second, lanes * static_cast<std::int64_t>(sizeof(float))},
                 problem.out, partials, blocks, problem.op);
      };
    }));
// clang-format on

}  // namespace
}  // namespace tally
