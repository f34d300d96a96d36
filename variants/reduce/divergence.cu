/// Three steps of one blog post, "CUDA programming: optimising reduce": what a block's tree costs when the
/// wrong threads, or the wrong cells of shared memory, take part.
///
///   reduce0  every 2s-th thread adds: the threads at work are scattered over all warps, which diverge
///   reduce1  the first threads add, with cells 2s apart: whole warps work or rest, but meet in few banks
///   reduce2  the first threads add the upper half to the lower: neighbouring cells, no bank conflict
///
/// The post runs 256 threads over 2048 floats, inside an NVTX range that it looks at with nsys, and prints
/// one sum a block. Here each stage's kernel is launched again over those sums until one is left (levels.h),
/// and any n will do: a thread without an element brings the identity.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/levels.h"

namespace tally {
namespace {

constexpr const char* post = "\"CUDA programming: optimising reduce\", a blog post in Chinese";

/// A tree needs a partner for everyone, and one thread alone would never come to an end.
const Rule tree_of_a_block = both(rules::power_of_two, rules::between(2, 1024));

Cost cost_of_stage(const ProblemKey& key, const Tuning& t) { return cost_of_levels(key, t["threads"]); }

double additions_of_stage(const ProblemKey& key, const Tuning& t) {
  return additions_of_levels(key, t["threads"]);
}

/// What all three begin with: each thread brings one element into its cell.
template <typename A, typename T, typename Op>
__device__ A* one_element_each(const T* x, std::int64_t n, Op op) {
  A* sums = dynamic_shared<A>();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = i < n ? static_cast<A>(x[i]) : op.identity();
  __syncthreads();
  return sums;
}

// ------------------------------------------------------------------------------------------- reduce0

/// The thread's own number decides, by a division, whether it adds.
template <typename A, typename T, typename Op>
__global__ void reduce0(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (id % (2 * s) == 0) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, divergence, reduce0)
    .lesson(
        "A tree between neighbours: thread 0, 2, 4, … adds, then 0, 4, 8, …. For five steps some threads of every "
        "warp work and some wait, so that all warps stay busy, and then half of them, a quarter, … with one "
        "thread each; and the remainder is a slow instruction.")
    .source(post)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_stage)
    .cost(cost_of_stage)
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(reduce0<A, T, Op>, reduce0<A, A, Op>, problem, t["threads"], 1, scratch);
    });

// ------------------------------------------------------------------------------------------- reduce1

/// The same pairs of cells, given to the first threads of the block. Their cells lie 2s apart, so that from
/// s = 16 on all lanes of a warp meet in one bank.
template <typename A, typename T, typename Op>
__global__ void reduce1(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned index = 2 * s * id;
    if (index < blockDim.x) sums[index] = op(sums[index], sums[index + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, divergence, reduce1)
    .follows("reduce0")
    .lesson(
        "The same additions, done by threads 0 … k: warps work as a whole or not at all. But the cells of a "
        "warp's lanes now lie 2s apart and share banks: divergence is traded for bank conflicts.")
    .source(post)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_stage)
    .cost(cost_of_stage)
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(reduce1<A, T, Op>, reduce1<A, A, Op>, problem, t["threads"], 1, scratch);
    });

// ------------------------------------------------------------------------------------------- reduce2

/// The loop runs the other way: the upper half is added to the lower, cell by neighbouring cell.
template <typename A, typename T, typename Op>
__global__ void reduce2(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (id < s) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, divergence, reduce2)
    .follows("reduce1")
    .lesson(
        "Halving from the top: the lanes of a warp use neighbouring cells, each its own bank, and whole warps "
        "fall idle at once. Neither divergence nor conflicts, down to the last 32 values.")
    .source(post)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_stage)
    .cost(cost_of_stage)
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(reduce2<A, T, Op>, reduce2<A, A, Op>, problem, t["threads"], 1, scratch);
    });

}  // namespace
}  // namespace tally
