/// Our own dot products, one idea at a time, in CUDA C++ that every GPU runs and the CPU executor too. What
/// needs a Hopper GPU (bulk copies, programmatic launches, 16-byte tagged slots), and the choice between all
/// of them, follows in hopper_cuda.cu.
///
///   vector_loads       16 bytes a load of each array, several on their way; two launches
///   one_launch_ticket  the block that draws the last ticket adds up the others' results
///
/// The floor: both arrays' bytes / read ceiling, and an empty launch for what is left when there are none.
/// README.md beside this file has the figures.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"
#include "variants/dot/best/pairs.h"

namespace tally {
namespace {

using tally_dot::bytes_of_word;
using tally_dot::Pairs;
using tally_dot::pairs_of;

constexpr unsigned whole_warp = 0xffffffffu;
constexpr int lanes = 32;
constexpr int in_flight = 4;  // words of each array

/// The products of one word's elements, added to `sum`.
template <typename T, typename A>
__device__ A take_words(A sum, const uint4& x, const uint4& y) {
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  T left[width];
  T right[width];
  memcpy(static_cast<void*>(left), &x, sizeof x);
  memcpy(static_cast<void*>(right), &y, sizeof y);
#pragma unroll
  for (int k = 0; k < width; ++k) sum += static_cast<A>(left[k]) * static_cast<A>(right[k]);
  return sum;
}

/// This thread's share where the arrays lie alike: words with the stride of the grid. Head and tail, at most
/// 15 elements each, fall to the first threads of the grid.
template <typename A, typename T>
__device__ A gather_words(const Pairs& pairs) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const auto* x = static_cast<const uint4*>(pairs.x.body);
  const auto* y = static_cast<const uint4*>(pairs.y);
  A sum = 0;
  std::int64_t i = thread;
  for (; i + (in_flight - 1) * stride < pairs.x.words; i += in_flight * stride) {
    uint4 of_x[in_flight];
    uint4 of_y[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      of_x[k] = __ldcg(x + i + k * stride);
      of_y[k] = __ldcg(y + i + k * stride);
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) sum = take_words<T>(sum, of_x[k], of_y[k]);
  }
  for (; i < pairs.x.words; i += stride) sum = take_words<T>(sum, __ldcg(x + i), __ldcg(y + i));
  const T* ends_of_x = static_cast<const T*>(pairs.x.body);
  const T* ends_of_y = static_cast<const T*>(pairs.y);
  const auto product = [&](std::int64_t at) {
    return static_cast<A>(ends_of_x[at]) * static_cast<A>(ends_of_y[at]);
  };
  if (thread < pairs.x.head) sum += product(-1 - thread);
  if (thread < pairs.x.tail) {
    sum += product(pairs.x.words * (bytes_of_word / static_cast<std::int64_t>(sizeof(T))) + thread);
  }
  return sum;
}

/// Where the arrays lie otherwise: element by element. best/words.cuh shows how words are had there too.
template <typename A, typename T>
__device__ A gather_elements(const T* x, const T* y, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  A sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sum += static_cast<A>(x[i]) * static_cast<A>(y[i]);
  }
  return sum;
}

template <typename T>
struct Arrays {
  const T* x;
  const T* y;
  std::int64_t n;
  Pairs pairs;
};
template <typename T>
Arrays<T> arrays_of(const T* x, const T* y, std::int64_t n) {
  return {x, y, n, pairs_of(x, y, n)};
}

template <typename A, typename T>
__device__ A gather(const Arrays<T>& arrays) {
  if (arrays.pairs.shift != 0) return gather_elements<A>(arrays.x, arrays.y, arrays.n);
  return gather_words<A, T>(arrays.pairs);
}

template <typename A>
__device__ A total_of_warp(A sum) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(whole_warp, sum, distance);
  return sum;
}

/// Of a block of whole warps; thread 0 has it. A second call needs a barrier before it.
template <typename A>
__device__ A total_of_block(A sum) {
  __shared__ A of_warp[lanes];
  sum = total_of_warp(sum);
  if (threadIdx.x % lanes == 0) of_warp[threadIdx.x / lanes] = sum;
  __syncthreads();
  if (threadIdx.x < lanes)
    sum = total_of_warp(threadIdx.x < blockDim.x / lanes ? of_warp[threadIdx.x] : A(0));
  return sum;
}

/// Blocks that the arrays can feed, so that none only waits.
std::int64_t blocks_with_work(std::int64_t n, std::size_t element, const Tuning& t) {
  const std::int64_t elements = t["threads"] * bytes_of_word / static_cast<std::int64_t>(element);
  return std::clamp<std::int64_t>((n + elements - 1) / elements, 1, t["blocks"]);
}
std::int64_t blocks_with_work(const ProblemKey& key, const Tuning& t) {
  return blocks_with_work(key.n, size_of(key.type), t);
}

double bytes_of_input(const ProblemKey& key) {
  return 2 * static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
}
double bytes_of_sum(const ProblemKey& key) { return static_cast<double>(size_of(accumulator_of(key.type))); }
double bytes_of_answer(const ProblemKey& key) {
  return key.text("accumulate") == "wide" ? bytes_of_sum(key) : static_cast<double>(size_of(key.type));
}

/// A thread's share, two trees of 32, and the partial results that one thread of the last block adds.
double additions(const ProblemKey& key, const Tuning& t) {
  const auto blocks = static_cast<double>(blocks_with_work(key, t));
  const auto threads = static_cast<double>(t["threads"]);
  const double width = bytes_of_word / static_cast<double>(size_of(key.type));
  return (std::ceil(static_cast<double>(key.n) / (blocks * threads * width)) + 1) * width + 2 + 20 +
         std::ceil(blocks / threads);
}

const Rule whole_warps_of_a_block = both(rules::whole_warps, rules::block_size);
constexpr const char* own = "Tally's own";

// -------------------------------------------------------------------------------------- vector_loads

template <typename A, typename T>
__global__ void vector_loads(A* partials, Arrays<T> arrays) {
  const A total = total_of_block(gather<A>(arrays));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <typename Answer, typename A>
__global__ void add_partials(Answer* out, const A* partials, int count) {
  A sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    sum += partials[i];
  sum = total_of_block(sum);
  if (threadIdx.x == 0) out[0] = static_cast<Answer>(sum);
}

TALLY_VARIANT(Dot, hopper, vector_loads)
    .lesson(
        "Sixteen bytes a load, and four loads of each array on their way before the first is used: what fills the "
        "memory's pipe is bytes in flight. The second launch is what small arrays pay.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("threads", {512, 256, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {528, 132, 264}, rules::positive)
    .additions(additions)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto partials = static_cast<double>(blocks_with_work(key, t));
      return Cost{.bytes_read = bytes_of_input(key) + partials * bytes_of_sum(key),
                  .bytes_written = partials * bytes_of_sum(key) + bytes_of_answer(key),
                  .launches = 2,
                  .partials = blocks_with_work(key, t)};
    })
    .prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Arrays<T> arrays = arrays_of(problem.x, problem.y, problem.n);
      A* partials = scratch.array<A>(blocks);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(vector_loads<A, T>, {blocks, threads}, partials, arrays);
        q.launch(add_partials<Answer, A>, {1, threads}, problem.out, partials, static_cast<int>(blocks));
      };
    });

// --------------------------------------------------------------------------------- one_launch_ticket

/// Draws this block's ticket; true in all its threads if it is the last of the grid. What the block's thread
/// 0 wrote before is then seen by the last block, and what all wrote is seen by it.
__device__ bool draws_last_ticket(unsigned* ticket) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

template <typename Answer, typename A, typename T>
__global__ void one_launch_ticket(Answer* out, A* partials, unsigned* ticket, Arrays<T> arrays) {
  A sum = total_of_block(gather<A>(arrays));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if (!draws_last_ticket(ticket)) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += __ldcg(partials + i);
  sum = total_of_block(sum);
  if (threadIdx.x == 0) {
    out[0] = static_cast<Answer>(sum);
    *ticket = 0;  // as the next call finds it
  }
}

TALLY_VARIANT(Dot, hopper, one_launch_ticket)
    .follows("vector_loads")
    .lesson(
        "The second launch goes: every block leaves its result and draws a ticket, and the one with the last ticket "
        "adds the results in the order of the blocks. The same bits every time, for two trips to the L2 cache in "
        "place of a launch.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("threads", {512, 256, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {264, 132, 528}, rules::positive)
    .additions(additions)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto partials = static_cast<double>(blocks_with_work(key, t));
      return Cost{.bytes_read = bytes_of_input(key) + partials * bytes_of_sum(key),
                  .bytes_written = partials * bytes_of_sum(key) + bytes_of_answer(key) + sizeof(unsigned),
                  .partials = blocks_with_work(key, t)};
    })
    .prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Arrays<T> arrays = arrays_of(problem.x, problem.y, problem.n);
      A* partials = scratch.array<A>(blocks);
      auto* ticket = scratch.zeroed_array<unsigned>(1);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(one_launch_ticket<Answer, A, T>, {blocks, threads}, problem.out, partials, ticket, arrays);
      };
    });

}  // namespace
}  // namespace tally
