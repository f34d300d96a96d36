/// Where the book goes on after the course (korean_course.cu): Ansorge, "Programming in Parallel with CUDA",
/// chapters 2 to 4. The tree shrinks from a block's shared memory to a warp's registers, and then the loads
/// are widened, which is what pays.
///
///   reduce5         block size as a template argument: the unrolled tree for any size that was compiled
///   reduce6         cooperative groups: the first warp's last steps go from register to register
///
/// The stages that need no second launch, reduce7 to reduce8, are in ansorge_atomics.cu, the sum of halves on
/// tensor cores in ansorge_tensor_core.cu.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/ansorge.h"
#include "variants/reduce/compiled_block_sizes.h"
#include "variants/reduce/two_launches.h"

namespace tally {
namespace {

constexpr std::int64_t published_n = 1 << 24;

// ------------------------------------------------------------------------------------------- reduce5

/// This thread's share, added up in its cell of shared memory, and the tree down to 64 cells.
template <unsigned block_size, typename A, typename T, typename Op>
__device__ A* sixty_four_sums(const T* x, std::int64_t n, Op op) {
  A* sums = dynamic_shared<A>();
  const unsigned id = threadIdx.x;
  sums[id] = op.identity();
  for (std::int64_t i = thread_of_grid(); i < n; i += threads_of_grid()) {
    sums[id] = op(sums[id], static_cast<A>(x[i]));
  }
  __syncthreads();
  if constexpr (block_size > 512) {
    if (id < 512) sums[id] = op(sums[id], sums[id + 512]);
    __syncthreads();
  }
  if constexpr (block_size > 256) {
    if (id < 256) sums[id] = op(sums[id], sums[id + 256]);
    __syncthreads();
  }
  if constexpr (block_size > 128) {
    if (id < 128) sums[id] = op(sums[id], sums[id + 128]);
    __syncthreads();
  }
  if constexpr (block_size > 64) {
    if (id < 64) sums[id] = op(sums[id], sums[id + 64]);
    __syncthreads();
  }
  return sums;
}

template <unsigned block_size, typename A, typename T, typename Op>
__global__ void reduce5(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = sixty_four_sums<block_size, A>(x, n, op);
  const unsigned id = threadIdx.x;
#pragma unroll
  for (unsigned k = 32; k > 0; k /= 2) {
    if (id < k) sums[id] = op(sums[id], sums[id + k]);
    __syncwarp();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

using BlockSizes = CompiledBlockSizes<128, 256, 512, 1024>;

/// `blocks` partial results, then one block of as many threads over them.
template <typename A, typename T, typename Op>
auto in_two_launches(void (*first)(A*, const T*, std::int64_t, Op, bool),
                     void (*second)(A*, const A*, std::int64_t, Op, bool), const Reduce<T, Op>& problem,
                     const Tuning& t, Scratch& scratch) {
  const std::int64_t threads = t["threads"];
  const std::int64_t blocks = t["blocks"];
  const std::int64_t shared_bytes = threads * static_cast<std::int64_t>(sizeof(A));
  A* partials = scratch.array<A>(blocks);
  return [=](Queue& q) {
    q.launch(first, {blocks, threads, shared_bytes}, partials, problem.x, problem.n, problem.op, false);
    q.launch(second, {1, threads, shared_bytes}, problem.out, partials, blocks, problem.op, true);
  };
}

TALLY_VARIANT(Reduce, ansorge, reduce5)
    .lesson(
        "The block size as a template argument: the compiler leaves out the steps that a block does not have, "
        "and one source serves all sizes. The next stage after the course's reduce4.")
    .source(book)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512, 1024}, BlockSizes::rule())
    .tunable("blocks", {288, 264, 1056}, rules::positive)
    .additions(additions_of_two_launches)
    .cost(cost_of_two_launches)
    .published("RTX 2070", published_n, ScalarType::float32, 0.215, "ms")
    .published("RTX 3080", published_n, ScalarType::float32, 0.108, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const auto first =
          BlockSizes::kernel_for(t["threads"], [](auto size) { return reduce5<size(), A, T, Op>; });
      const auto second =
          BlockSizes::kernel_for(t["threads"], [](auto size) { return reduce5<size(), A, A, Op>; });
      return in_two_launches<A>(first, second, problem, t, scratch);
    });

// ------------------------------------------------------------------------------------------- reduce6

template <unsigned block_size, typename A, typename T, typename Op>
__global__ void reduce6(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = sixty_four_sums<block_size, A>(x, n, op);
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const unsigned id = block.thread_rank();
  if (id < lanes) {
    const A sum = total_of_warp(warp, op(sums[id], sums[id + lanes]), op);
    if (id == 0) out[blockIdx.x] = last ? op.finish(sum) : sum;
  }
}

TALLY_VARIANT(Reduce, ansorge, reduce6)
    .follows("reduce5")
    .lesson(
        "A tile of 32 threads as an object: its last five steps hand registers on, without shared memory or a "
        "barrier to forget. The text gets safer; the time stays.")
    .source(book)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512, 1024}, BlockSizes::rule())
    .tunable("blocks", {288, 264, 1056}, rules::positive)
    .additions(additions_of_two_launches)
    .cost(cost_of_two_launches)
    .published("RTX 2070", published_later_n, ScalarType::float32, 0.911, "ms")
    .published("RTX 3080", published_later_n, ScalarType::float32, 0.471, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const auto first =
          BlockSizes::kernel_for(t["threads"], [](auto size) { return reduce6<size(), A, T, Op>; });
      const auto second =
          BlockSizes::kernel_for(t["threads"], [](auto size) { return reduce6<size(), A, A, Op>; });
      return in_two_launches<A>(first, second, problem, t, scratch);
    });

}  // namespace
}  // namespace tally
