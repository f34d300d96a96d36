/// Mark Harris's reduction (Optimizing Parallel Reduction in CUDA, 2007), as a Chinese course on GPU
/// optimisation retells it: seven kernels, each of which takes away what slowed the one before.
///
///   v0  a tree between neighbours: warps diverge, and the remainder is slow
///   v1  the same pairs given to the first threads: no divergence, but bank conflicts
///   v2  halving from the top: neighbouring cells, no conflicts
///   v3  each thread adds two elements while it loads: no thread idles in the first step
///   v4  the last six steps belong to one warp: no block barriers, no tests
///   v5  the block size is a template argument: the whole tree is straight code
///   v6  a fixed grid, many elements a thread: the tree is paid for once a block, not once every 512 elements
///
/// Two of them as the course prints them, wrong, are in harris_as_published.cu.
///
/// The course times one launch, which leaves one sum a block; Harris timed the full sum. Here v0 … v5 launch
/// their kernel again over the partial sums until one is left (levels.h), v6 a second time. The course's
/// arrays are multiples of the block; here a thread without an element brings the identity.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/compiled_block_sizes.h"
#include "variants/reduce/levels.h"
#include "variants/reduce/two_launches.h"

namespace tally {
namespace {

constexpr const char* course =
    "\"GPU performance optimisation: algorithms\", after M. Harris, \"Optimizing Parallel Reduction "
    "in CUDA\"";
constexpr const char* a100 = "A100 40 GB PCIe, partial sums only";
constexpr const char* g80 = "G80";
constexpr std::int64_t a100_n = 32 << 20;
constexpr std::int64_t g80_n = 4 << 20;

/// A tree needs a partner for everyone, and one thread alone would never come to an end.
const Rule tree_of_a_block = both(rules::power_of_two, rules::between(2, 1024));

Cost cost_of_one_each(const ProblemKey& key, const Tuning& t) { return cost_of_levels(key, t["threads"]); }
Cost cost_of_two_each(const ProblemKey& key, const Tuning& t) {
  return cost_of_levels(key, 2 * t["threads"]);
}
double additions_of_one_each(const ProblemKey& key, const Tuning& t) {
  return additions_of_levels(key, t["threads"]);
}
double additions_of_two_each(const ProblemKey& key, const Tuning& t) {
  return additions_of_levels(key, 2 * t["threads"]);
}

/// Element i, or what changes nothing.
template <typename A, typename T, typename Op>
__device__ A element(const T* x, std::int64_t i, std::int64_t n, Op op) {
  return i < n ? static_cast<A>(x[i]) : op.identity();
}

/// What v0, v1 and v2 begin with: each thread brings one element into its cell.
template <typename A, typename T, typename Op>
__device__ A* one_element_each(const T* x, std::int64_t n, Op op) {
  A* sums = dynamic_shared<A>();
  sums[threadIdx.x] = element<A>(x, static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, n, op);
  __syncthreads();
  return sums;
}

/// What v3, v4 and v5 begin with: each thread brings the sum of two.
template <typename A, typename T, typename Op>
__device__ A* two_elements_each(const T* x, std::int64_t n, Op op) {
  A* sums = dynamic_shared<A>();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 2 * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = op(element<A>(x, i, n, op), element<A>(x, i + blockDim.x, n, op));
  __syncthreads();
  return sums;
}

// ------------------------------------------------------------------------------------------------ v0

template <typename A, typename T, typename Op>
__global__ void v0(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    if (id % (2 * s) == 0) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v0)
    .lesson(
        "The obvious tree. In the first five steps every warp has lanes with work and lanes without, so that none "
        "of them can stop; after them some warps have one lane at work. The remainder operator is slow on top "
        "of it.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_one_each)
    .cost(cost_of_one_each)
    .published(a100, a100_n, ScalarType::float32, 990.7, "us")
    .published(g80, g80_n, ScalarType::int32, 2.08, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(v0<A, T, Op>, v0<A, A, Op>, problem, t["threads"], 1, scratch);
    });

// ------------------------------------------------------------------------------------------------ v1

template <typename A, typename T, typename Op>
__global__ void v1(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned index = 2 * s * id;
    if (index < blockDim.x) sums[index] = op(sums[index], sums[index + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v1)
    .follows("v0")
    .lesson(
        "The first threads do the same additions: whole warps work or rest. Their cells are 2s apart, so lanes "
        "of a warp queue for the same bank. The course adds its cells tid and tid + s and so gets wrong sums "
        "(v1_as_published); the cells meant are index and index + s, as here.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_one_each)
    .cost(cost_of_one_each)
    .published(a100, a100_n, ScalarType::float32, 479.6, "us")
    .published(g80, g80_n, ScalarType::int32, 4.85, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(v1<A, T, Op>, v1<A, A, Op>, problem, t["threads"], 1, scratch);
    });

// ------------------------------------------------------------------------------------------------ v2

template <typename A, typename T, typename Op>
__global__ void v2(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (id < s) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v2)
    .follows("v1")
    .lesson(
        "Halving from the top, neighbouring lanes use neighbouring cells: each its own bank. But half of the "
        "threads do nothing but load one element.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_one_each)
    .cost(cost_of_one_each)
    .published(a100, a100_n, ScalarType::float32, 462.0, "us")
    .published(g80, g80_n, ScalarType::int32, 9.74, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(v2<A, T, Op>, v2<A, A, Op>, problem, t["threads"], 1, scratch);
    });

// ------------------------------------------------------------------------------------------------ v3

template <typename A, typename T, typename Op>
__global__ void v3(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = two_elements_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (id < s) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v3)
    .follows("v2")
    .lesson(
        "Every thread adds two elements while it loads them: half the blocks for the same array, two loads in "
        "flight a thread, and the first step has no idle half.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_two_each)
    .cost(cost_of_two_each)
    .published(a100, a100_n, ScalarType::float32, 244.2, "us")
    .published(g80, g80_n, ScalarType::int32, 17.4, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(v3<A, T, Op>, v3<A, A, Op>, problem, t["threads"], 2, scratch);
    });

// ------------------------------------------------------------------------------------------------ v4

/// The last 64 sums of a block, added up by its first warp without a test for who still has work: what the
/// idle lanes add is never looked at. A lane reads a cell that another lane writes in the same step, so that
/// the reads of all must come before the writes of all, which since Volta only a barrier says.
template <typename A, typename Op>
__device__ void tail_of_one_warp(A* sums, unsigned id, Op op) {
#pragma unroll
  for (unsigned s = 32; s > 0; s /= 2) {
    const A sum = op(sums[id], sums[id + s]);
    __syncwarp();
    sums[id] = sum;
    __syncwarp();
  }
}

template <typename A, typename T, typename Op>
__global__ void v4(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = two_elements_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    if (id < s) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id < 32) tail_of_one_warp(sums, id, op);
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

/// Fewer than 64 threads would leave the tail cells that no thread has filled.
const Rule tree_with_a_tail = both(rules::power_of_two, rules::between(64, 1024));

TALLY_VARIANT(Reduce, harris, v4)
    .follows("v3")
    .lesson(
        "The last six steps stay in one warp: no barrier of the block, no test, no loop. The course counts on "
        "the lanes of a warp running in step (v4_as_published), which has not been so since Volta; here the "
        "warp's own barriers keep the order.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_with_a_tail)
    .additions(additions_of_two_each)
    .cost(cost_of_two_each)
    .published(a100, a100_n, ScalarType::float32, 167.1, "us")
    .published(g80, g80_n, ScalarType::int32, 31.3, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(v4<A, T, Op>, v4<A, A, Op>, problem, t["threads"], 2, scratch);
    });

// ------------------------------------------------------------------------------------------------ v5

/// The tree of a block whose size is known to the compiler: no loop, no test that it can answer. The course
/// has no step for 1024 threads and would lose half of them.
template <unsigned block_size, typename A, typename Op>
__device__ void unrolled_tree(A* sums, unsigned id, Op op) {
  if constexpr (block_size >= 1024) {
    if (id < 512) sums[id] = op(sums[id], sums[id + 512]);
    __syncthreads();
  }
  if constexpr (block_size >= 512) {
    if (id < 256) sums[id] = op(sums[id], sums[id + 256]);
    __syncthreads();
  }
  if constexpr (block_size >= 256) {
    if (id < 128) sums[id] = op(sums[id], sums[id + 128]);
    __syncthreads();
  }
  if constexpr (block_size >= 128) {
    if (id < 64) sums[id] = op(sums[id], sums[id + 64]);
    __syncthreads();
  }
  if (id < 32) tail_of_one_warp(sums, id, op);
}

using BlockSizes = CompiledBlockSizes<64, 128, 256, 512, 1024>;

template <unsigned block_size, typename A, typename T, typename Op>
__global__ void v5(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = two_elements_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  unrolled_tree<block_size>(sums, id, op);
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v5)
    .follows("v4")
    .lesson(
        "With the block size as a template argument the tree has neither loop nor superfluous test. What the "
        "compiler knows costs nothing; where memory is the limit, it gains little.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 64, 128, 512, 1024}, BlockSizes::rule())
    .additions(additions_of_two_each)
    .cost(cost_of_two_each)
    .published(a100, a100_n, ScalarType::float32, 158.8, "us")
    .published(g80, g80_n, ScalarType::int32, 44.0, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t threads = t["threads"];
      const auto first = BlockSizes::kernel_for(threads, [](auto size) { return v5<size(), A, T, Op>; });
      const auto further = BlockSizes::kernel_for(threads, [](auto size) { return v5<size(), A, A, Op>; });
      return in_levels_of_trees<A>(first, further, problem, threads, 2, scratch);
    });

// ------------------------------------------------------------------------------------------------ v6

/// Each block adds up its own stretch of the array. The course makes the number of elements a thread a
/// template argument too, which ties the program to one n; here the loop is unrolled eight times.
template <unsigned block_size, typename A, typename T, typename Op>
__global__ void v6(A* out, const T* x, std::int64_t n, std::int64_t stretch, Op op, bool last) {
  A* sums = dynamic_shared<A>();
  const unsigned id = threadIdx.x;
  const std::int64_t begin = blockIdx.x * stretch;
  const std::int64_t end = begin + stretch < n ? begin + stretch : n;
  sums[id] = op.identity();
#pragma unroll 8
  for (std::int64_t i = begin + id; i < end; i += block_size) {
    sums[id] = op(sums[id], static_cast<A>(x[i]));
  }
  __syncthreads();
  unrolled_tree<block_size>(sums, id, op);
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v6)
    .follows("v5")
    .lesson(
        "A fixed number of blocks, each with a long stretch: threads add in a loop, which is cheap, and the "
        "tree comes once a block. The partial sums are few enough for one more block.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 64, 128, 512, 1024}, BlockSizes::rule())
    .tunable("blocks", {1024, 264, 528, 2112}, rules::positive)
    .additions(additions_of_two_launches)
    .cost(cost_of_two_launches)
    .published(a100, a100_n, ScalarType::float32, 105.5, "us")
    .published(g80, g80_n, ScalarType::int32, 62.7, "GB/s")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t threads = t["threads"];
      const std::int64_t blocks = t["blocks"];
      const auto first = BlockSizes::kernel_for(threads, [](auto size) { return v6<size(), A, T, Op>; });
      const auto second = BlockSizes::kernel_for(threads, [](auto size) { return v6<size(), A, A, Op>; });
      const std::int64_t shared_bytes = threads * static_cast<std::int64_t>(sizeof(A));
      const std::int64_t stretch = blocks_for(problem.n, blocks * threads) * threads;
      A* partials = scratch.array<A>(blocks);
      return [=](Queue& q) {
        q.launch(first, {blocks, threads, shared_bytes}, partials, problem.x, problem.n, stretch, problem.op,
                 false);
        q.launch(second, {1, threads, shared_bytes}, problem.out, partials, blocks,
                 blocks_for(blocks, threads) * threads, problem.op, true);
      };
    });

}  // namespace
}  // namespace tally
