/// Our own sums of squares, one idea at a time, in CUDA C++ that every GPU runs and the CPU executor too.
/// What needs a Hopper GPU, and the choice between all of them, follows in hopper_cuda.cu.
///
///   vector_loads       16 bytes a load, several on their way; two launches
///   one_launch_ticket  the block that draws the last ticket adds up the others' results
///
/// The floor: bytes / read ceiling, and an empty launch for what is left when there are no bytes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/sum_of_squares.h"
#include "variants/reduce/best/spans.h"

namespace tally {
namespace {

using tally_reduce::bytes_of_word;
using tally_reduce::Spans;
using tally_reduce::spans_of;

constexpr unsigned whole_warp = 0xffffffffu;
constexpr int lanes = 32;
constexpr int in_flight = 4;

template <typename T>
__device__ T take_word(T sum, const uint4& word) {
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  T elements[width];
  memcpy(static_cast<void*>(elements), &word, sizeof word);
#pragma unroll
  for (int k = 0; k < width; ++k) sum = added(sum, squared(elements[k]));
  return sum;
}

/// This thread's share: words with the stride of the grid, four of them asked for before the first is used.
/// Head and tail, at most 3 elements each, fall to the first threads of the grid.
template <typename T>
__device__ T gather(const Spans& spans) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const auto* words = static_cast<const uint4*>(spans.body);
  T sum = 0;
  std::int64_t i = thread;
  for (; i + (in_flight - 1) * stride < spans.words; i += in_flight * stride) {
    uint4 word[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) word[k] = __ldcg(words + i + k * stride);
#pragma unroll
    for (int k = 0; k < in_flight; ++k) sum = take_word(sum, word[k]);
  }
  for (; i < spans.words; i += stride) sum = take_word(sum, __ldcg(words + i));
  const T* body = static_cast<const T*>(spans.body);
  const std::int64_t behind = spans.words * (bytes_of_word / static_cast<std::int64_t>(sizeof(T)));
  if (thread < spans.head) sum = added(sum, squared(body[-1 - thread]));
  if (thread < spans.tail) sum = added(sum, squared(body[behind + thread]));
  return sum;
}

template <typename T>
__device__ T total_of_warp(T sum) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    sum = added(sum, __shfl_down_sync(whole_warp, sum, distance));
  }
  return sum;
}

/// Of a block of whole warps; thread 0 has it. A second call needs a barrier before it.
template <typename T>
__device__ T total_of_block(T sum) {
  __shared__ T of_warp[lanes];
  sum = total_of_warp(sum);
  if (threadIdx.x % lanes == 0) of_warp[threadIdx.x / lanes] = sum;
  __syncthreads();
  if (threadIdx.x < lanes)
    sum = total_of_warp(threadIdx.x < blockDim.x / lanes ? of_warp[threadIdx.x] : T(0));
  return sum;
}

/// Blocks that the array can feed, so that none only waits.
std::int64_t blocks_with_work(std::int64_t n, std::size_t element, const Tuning& t) {
  const std::int64_t elements = t["threads"] * bytes_of_word / static_cast<std::int64_t>(element);
  return std::clamp<std::int64_t>((n + elements - 1) / elements, 1, t["blocks"]);
}
std::int64_t blocks_with_work(const ProblemKey& key, const Tuning& t) {
  return blocks_with_work(key.n, size_of(key.type), t);
}

double bytes_of_element(const ProblemKey& key) { return static_cast<double>(size_of(key.type)); }

/// A thread's share, two trees of 32, and the partial results that one thread of the last block adds.
double additions(const ProblemKey& key, const Tuning& t) {
  const auto blocks = static_cast<double>(blocks_with_work(key, t));
  const auto threads = static_cast<double>(t["threads"]);
  const double width = bytes_of_word / bytes_of_element(key);
  return (std::ceil(static_cast<double>(key.n) / (blocks * threads * width)) + 1) * width + 2 + 20 +
         std::ceil(blocks / threads);
}

const Rule whole_warps_of_a_block = both(rules::whole_warps, rules::block_size);
constexpr const char* own = "Tally's own";

// -------------------------------------------------------------------------------------- vector_loads

template <typename T>
__global__ void vector_loads(T* partials, Spans spans) {
  const T total = total_of_block(gather<T>(spans));
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <typename T>
__global__ void add_partials(T* out, const T* partials, int count) {
  T sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    sum = added(sum, partials[i]);
  }
  sum = total_of_block(sum);
  if (threadIdx.x == 0) out[0] = sum;
}

TALLY_VARIANT(SumOfSquares, hopper, vector_loads)
    .lesson(
        "Sixteen bytes a load and four loads on their way before the first is used: the bytes in flight, not the "
        "squares, fill the memory's pipe. The second launch is what small arrays pay.")
    .source(own)
    .types<std::int32_t, float, double>()
    .tunable("threads", {512, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {528, 132}, rules::positive)
    .additions(additions)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto partials = static_cast<double>(blocks_with_work(key, t));
      return Cost{.bytes_read = (static_cast<double>(key.n) + partials) * bytes_of_element(key),
                  .bytes_written = (partials + 1) * bytes_of_element(key),
                  .launches = 2,
                  .partials = blocks_with_work(key, t)};
    })
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Spans spans = spans_of(problem.x, problem.n);
      T* partials = scratch.array<T>(blocks);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(vector_loads<T>, {blocks, threads}, partials, spans);
        q.launch(add_partials<T>, {1, threads}, problem.out, partials, static_cast<int>(blocks));
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

template <typename T>
__global__ void one_launch_ticket(T* out, T* partials, unsigned* ticket, Spans spans) {
  T sum = total_of_block(gather<T>(spans));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if (!draws_last_ticket(ticket)) return;
  sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum = added(sum, __ldcg(partials + i));
  sum = total_of_block(sum);
  if (threadIdx.x == 0) {
    out[0] = sum;
    *ticket = 0;  // as the next call finds it
  }
}

TALLY_VARIANT(SumOfSquares, hopper, one_launch_ticket)
    .follows("vector_loads")
    .lesson(
        "The second launch goes: every block leaves its result and draws a ticket, and the one with the last ticket "
        "adds the results in the order of the blocks. The same bits every time, for two trips to the L2 cache in "
        "place of a launch.")
    .source(own)
    .types<std::int32_t, float, double>()
    .tunable("threads", {512, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {264, 528}, rules::positive)
    .additions(additions)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto partials = static_cast<double>(blocks_with_work(key, t));
      return Cost{.bytes_read = (static_cast<double>(key.n) + partials) * bytes_of_element(key),
                  .bytes_written = (partials + 1) * bytes_of_element(key) + sizeof(unsigned),
                  .partials = blocks_with_work(key, t)};
    })
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Spans spans = spans_of(problem.x, problem.n);
      T* partials = scratch.array<T>(blocks);
      auto* ticket = scratch.zeroed_array<unsigned>(1);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(one_launch_ticket<T>, {blocks, threads}, problem.out, partials, ticket, spans);
      };
    });

}  // namespace
}  // namespace tally
