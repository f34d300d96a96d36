/// The reduction ladder of a Korean university course, which follows chapter 2 of Ansorge, "Programming in
/// Parallel with CUDA": from one launch a level to one tree a block.
///
///   reduce0  halves the array in place, one launch a level: log2(n) launches, 3n elements of traffic
///   reduce1  one grid-stride sum a thread, three launches, partial sums written back over the input
///   reduce2  the block's sums meet in shared memory, in a tree of power-of-two width: two launches
///   reduce3  the same tree for any block size, so that the grid can follow the number of multiprocessors
///   reduce4  the tree unrolled, its last steps within one warp
///
/// Half and int8 elements need a wider accumulator, which reduce0 and reduce1 cannot have: they keep their
/// sums where the elements were.
#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/two_launches.h"

namespace tally {
namespace {

constexpr const char* course =
    "Sogang University, basic GPU programming (In Seong Ihm), lecture notes on reduce";
constexpr std::int64_t published_n = 1 << 24;

double log2_of(std::int64_t n) { return std::ceil(std::log2(static_cast<double>(n))); }

// ------------------------------------------------------------------------------------------- reduce0

/// One level: the upper half of 2m elements is added to the lower. The level that leaves one element answers.
template <typename A, typename Op>
__global__ void reduce0(A* x, A* out, std::int64_t m, Op op) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (m > 0) x[i] = op(x[i], x[i + m]);
  if (m <= 1) out[0] = op.finish(x[0]);
}

TALLY_VARIANT(Reduce, korean_course, reduce0)
    .lesson(
        "Half of the array is added to the other half, in place, one launch a level. Of a small array the launches "
        "are the time; of a large one the traffic, since every element but one is read twice and written once.")
    .source(course)
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, both(rules::power_of_two, rules::block_size))
    .needs("needs power-of-two n",
           [](const ProblemKey& key, const Tuning&) {
             return std::has_single_bit(static_cast<std::uint64_t>(key.n));
           })
    .destroys_input()
    .additions([](const ProblemKey& key, const Tuning&) { return log2_of(key.n); })
    .cost([](const ProblemKey& key, const Tuning&) {
      const double element = static_cast<double>(size_of(key.type));
      const auto n = static_cast<double>(key.n);
      return Cost{.bytes_read = (2 * (n - 1) + 1) * element,
                  .bytes_written = (std::max(n - 1, 0.0) + 1) * element,
                  .launches = std::max<std::int64_t>(1, static_cast<std::int64_t>(log2_of(key.n)))};
    })
    .published("RTX 2070", published_n, ScalarType::float32, 0.643, "ms")
    .published("RTX 3080", published_n, ScalarType::float32, 0.569, "ms")
    .prepare([]<typename A, typename Op>(Reduce<A, Op> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        std::int64_t m = problem.n / 2;
        do {
          const std::int64_t wide = std::clamp<std::int64_t>(m, 1, threads);
          q.launch(reduce0<A, Op>, {std::max<std::int64_t>(m / threads, 1), wide}, problem.x_in_place(),
                   problem.out, m, problem.op);
          m /= 2;
        } while (m > 0);
      };
    });

// ------------------------------------------------------------------------------------------- reduce1

/// Every thread adds up its share with the stride of the grid and leaves the sum in the element that only it
/// has read. The course lets the grid be wider than the array; here threads without an element leave none.
template <typename A, typename Op>
__global__ void reduce1(A* x, A* out, std::int64_t n, Op op) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  A sum = op.identity();
  for (std::int64_t i = thread; i < n; i += stride) sum = op(sum, x[i]);
  if (thread < n) x[thread] = sum;
  if (stride == 1) out[0] = op.finish(sum);
}

TALLY_VARIANT(Reduce, korean_course, reduce1)
    .follows("reduce0")
    .lesson(
        "Each thread adds up n / (blocks · threads) elements in a register, coalesced: the array is read "
        "once. Two "
        "small launches finish, the last of them on one thread.")
    .source(course)
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, rules::block_size)
    .tunable("blocks", {288, 264, 1056}, rules::positive)
    .destroys_input()
    .additions([](const ProblemKey& key, const Tuning& t) {
      return std::ceil(static_cast<double>(key.n) / static_cast<double>(t["blocks"] * t["threads"])) +
             static_cast<double>(t["blocks"] + t["threads"]);
    })
    .cost([](const ProblemKey& key, const Tuning& t) {
      const double element = static_cast<double>(size_of(key.type));
      const std::int64_t first = std::min(key.n, t["blocks"] * t["threads"]);
      const std::int64_t second = std::min(key.n, t["threads"]);
      return Cost{.bytes_read = static_cast<double>(key.n + first + second) * element,
                  .bytes_written = static_cast<double>(first + second + 2) * element,
                  .launches = 3,
                  .partials = first};
    })
    .published("RTX 2070", published_n, ScalarType::float32, 0.197, "ms")
    .published("RTX 3080", published_n, ScalarType::float32, 0.130, "ms")
    .prepare([]<typename A, typename Op>(Reduce<A, Op> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"], blocks = t["blocks"]](Queue& q) {
        A* x = problem.x_in_place();
        q.launch(reduce1<A, Op>, {blocks, threads}, x, problem.out, problem.n, problem.op);
        q.launch(reduce1<A, Op>, {1, threads}, x, problem.out, std::min(problem.n, blocks * threads),
                 problem.op);
        q.launch(reduce1<A, Op>, {1, 1}, x, problem.out, std::min(problem.n, threads), problem.op);
      };
    });

// ------------------------------------------------------------------------------------------- reduce2

/// What reduce2, reduce3 and reduce4 begin with: this thread's share, added up in its cell of shared memory.
/// The course adds in shared memory, not in a register, and so does this.
template <typename A, typename T, typename Op>
__device__ void add_share(A* sums, const T* x, std::int64_t n, Op op) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  sums[threadIdx.x] = op.identity();
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sums[threadIdx.x] = op(sums[threadIdx.x], static_cast<A>(x[i]));
  }
  __syncthreads();
}

/// Blocks of a power of two threads.
template <typename A, typename T, typename Op>
__global__ void reduce2(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = dynamic_shared<A>();
  add_share(sums, x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
    if (id < k) sums[id] = op(sums[id], sums[id + k]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

/// The two launches that reduce2, reduce3 and reduce4 share: `blocks` partial results, then one block of as
/// many threads over them. The course lets the second write over x[0]; here the answer has a place of its
/// own.
template <typename A, typename T, typename Op>
auto in_two_launches(void (*first)(A*, const T*, std::int64_t, Op, bool),
                     void (*second)(A*, const A*, std::int64_t, Op, bool), Reduce<T, Op> problem,
                     const Tuning& t, Scratch& scratch) {
  const std::int64_t threads = t["threads"];
  const std::int64_t blocks = t["blocks"];
  constexpr auto cell = static_cast<std::int64_t>(sizeof(A));
  A* partials = scratch.array<A>(blocks);
  return [=](Queue& q) {
    q.launch(first, {blocks, threads, threads * cell}, partials, problem.x, problem.n, problem.op, false);
    q.launch(second, {1, blocks, blocks * cell}, problem.out, partials, blocks, problem.op, true);
  };
}

double additions_of_both_trees(const ProblemKey& key, const Tuning& t) {
  return std::ceil(static_cast<double>(key.n) / static_cast<double>(t["blocks"] * t["threads"])) +
         log2_of(t["threads"]) + log2_of(t["blocks"]) + 1;
}

TALLY_VARIANT(Reduce, korean_course, reduce2)
    .follows("reduce1")
    .lesson(
        "The sums of a block meet in shared memory, in a tree that halves from the top: one partial result a "
        "block "
        "reaches global memory, and two launches are enough.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, both(rules::power_of_two, rules::block_size))
    .tunable("blocks", {256, 512, 1024}, both(rules::power_of_two, rules::block_size))
    .additions(additions_of_both_trees)
    .cost(cost_of_two_launches)
    .published("RTX 2070", published_n, ScalarType::float32, 0.166, "ms")
    .published("RTX 3080", published_n, ScalarType::float32, 0.113, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_two_launches<A>(reduce2<A, T, Op>, reduce2<A, A, Op>, problem, t, scratch);
    });

// ------------------------------------------------------------------------------------------- reduce3

/// The smallest power of two that is at least n.
__device__ inline unsigned next_power_of_two(unsigned n) { return n <= 1 ? 1 : 1u << (32 - __clz(n - 1)); }

/// Blocks of any size: the tree has the width of the next power of two, and a step without a partner is left
/// out.
template <typename A, typename T, typename Op>
__global__ void reduce3(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = dynamic_shared<A>();
  add_share(sums, x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned k = next_power_of_two(blockDim.x) / 2; k > 0; k /= 2) {
    if (id < k && id + k < blockDim.x) sums[id] = op(sums[id], sums[id + k]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, korean_course, reduce3)
    .follows("reduce2")
    .lesson(
        "Any number of blocks, so that the grid can be a multiple of the multiprocessors. It costs one more "
        "comparison a step and gains little.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 192, 512}, rules::block_size)
    .tunable("blocks", {270, 264, 528}, rules::block_size)
    .additions(additions_of_both_trees)
    .cost(cost_of_two_launches)
    .published("RTX 2070", published_n, ScalarType::float32, 0.166, "ms")
    .published("RTX 3080", published_n, ScalarType::float32, 0.112, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_two_launches<A>(reduce3<A, T, Op>, reduce3<A, A, Op>, problem, t, scratch);
    });

// ------------------------------------------------------------------------------------------- reduce4

/// The tree written out for 256 to 512 threads. The steps below 32 belong to one warp, and a warp's barrier
/// is enough for them. Blocks of fewer than 256 threads would read cells that no thread has filled.
template <typename A, typename T, typename Op>
__global__ void reduce4(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = dynamic_shared<A>();
  add_share(sums, x, n, op);
  const unsigned id = threadIdx.x;
  if (id < 256 && id + 256 < blockDim.x) sums[id] = op(sums[id], sums[id + 256]);
  __syncthreads();
  if (id < 128) sums[id] = op(sums[id], sums[id + 128]);
  __syncthreads();
  if (id < 64) sums[id] = op(sums[id], sums[id + 64]);
  __syncthreads();
  if (id < 32) sums[id] = op(sums[id], sums[id + 32]);
  __syncwarp();
  if (id < 16) sums[id] = op(sums[id], sums[id + 16]);
  __syncwarp();
  if (id < 8) sums[id] = op(sums[id], sums[id + 8]);
  __syncwarp();
  if (id < 4) sums[id] = op(sums[id], sums[id + 4]);
  __syncwarp();
  if (id < 2) sums[id] = op(sums[id], sums[id + 2]);
  __syncwarp();
  if (id == 0) {
    const A sum = op(sums[0], sums[1]);
    out[blockIdx.x] = last ? op.finish(sum) : sum;
  }
}

TALLY_VARIANT(Reduce, korean_course, reduce4)
    .follows("reduce3")
    .lesson(
        "The tree unrolled; its last five steps stay in one warp and need only the warp's barrier. The "
        "array's "
        "traffic hides all of it.")
    .source(course)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 384, 512}, rules::between(256, 512))
    .tunable("blocks", {270, 264, 512}, rules::between(256, 512))
    .additions(additions_of_both_trees)
    .cost(cost_of_two_launches)
    .published("RTX 2070", published_n, ScalarType::float32, 0.165, "ms")
    .published("RTX 3080", published_n, ScalarType::float32, 0.113, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_two_launches<A>(reduce4<A, T, Op>, reduce4<A, A, Op>, problem, t, scratch);
    });

}  // namespace
}  // namespace tally
