/// Our own reductions, one idea at a time, in CUDA C++ that every GPU runs and the CPU executor too. What
/// needs a Hopper GPU (clusters, bulk copies, programmatic launches), and the choice between all of them,
/// follows in hopper_cuda.cu.
///
///   one_block              a small array: one block, one launch, nothing to meet
///   vector_loads           16 bytes a load and several loads on their way; two launches
///   one_launch_ticket      the block that draws the last ticket adds up the others' results
///   atomic_self_resetting  one atomic addition a block in place of partial results; the last resets the
///   state
///
/// The floor: bytes / read ceiling, and an empty launch for what is left when there are no bytes. README.md
/// beside this file has the figures of each regime.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/best/spans.h"

namespace tally {
namespace {

using tally_reduce::bytes_of_word;
using tally_reduce::Spans;
using tally_reduce::spans_of;

constexpr unsigned whole_warp = 0xffffffffu;
constexpr int lanes = 32;

/// The elements of one word, added to `sum`.
template <typename T, typename A, typename Op>
__device__ A take_word(A sum, const uint4& word, Op op) {
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  T elements[width];
  memcpy(static_cast<void*>(elements), &word, sizeof word);
#pragma unroll
  for (int k = 0; k < width; ++k) sum = op(sum, static_cast<A>(elements[k]));
  return sum;
}

/// This thread's share of the array: words with the stride of the grid, `in_flight` of them asked for before
/// the first is used. Head and tail, at most 15 elements each, fall to the first threads of the grid.
template <typename A, typename T, int in_flight, typename Op>
__device__ A gather(const Spans& spans, Op op) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const auto* words = static_cast<const uint4*>(spans.body);
  A sum = op.identity();
  std::int64_t i = thread;
  for (; i + (in_flight - 1) * stride < spans.words; i += in_flight * stride) {
    uint4 word[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) word[k] = __ldcg(words + i + k * stride);
#pragma unroll
    for (int k = 0; k < in_flight; ++k) sum = take_word<T>(sum, word[k], op);
  }
  for (; i < spans.words; i += stride) sum = take_word<T>(sum, __ldcg(words + i), op);
  const T* body = static_cast<const T*>(spans.body);
  if (thread < spans.head) sum = op(sum, static_cast<A>(body[-1 - thread]));
  if (thread < spans.tail) {
    sum = op(sum, static_cast<A>(body[spans.words * (bytes_of_word / static_cast<int>(sizeof(T))) + thread]));
  }
  return sum;
}

template <typename A, typename Op>
__device__ A total_of_warp(A sum, Op op) {
#pragma unroll
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    sum = op(sum, __shfl_down_sync(whole_warp, sum, distance));
  }
  return sum;
}

/// Of a block of whole warps; thread 0 has it. A second call needs a barrier before it.
template <typename A, typename Op>
__device__ A total_of_block(A sum, Op op) {
  __shared__ A of_warp[lanes];
  sum = total_of_warp(sum, op);
  if (threadIdx.x % lanes == 0) of_warp[threadIdx.x / lanes] = sum;
  __syncthreads();
  if (threadIdx.x < lanes) {
    sum = total_of_warp(threadIdx.x < blockDim.x / lanes ? of_warp[threadIdx.x] : op.identity(), op);
  }
  return sum;
}

double bytes_of_input(const ProblemKey& key) {
  return static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
}
double bytes_of_answer(const ProblemKey& key) {
  return static_cast<double>(size_of(accumulator_of(key.type)));
}

/// A thread's share, two trees of 32, and the partial results that one thread of the last block adds.
double additions_of_blocks(const ProblemKey& key, std::int64_t blocks, std::int64_t threads) {
  const auto width = bytes_of_word / static_cast<std::int64_t>(size_of(key.type));
  const auto share = std::ceil(static_cast<double>(key.n) / static_cast<double>(blocks * threads * width));
  return (share + 1) * static_cast<double>(width) + 2 + 20 +
         std::ceil(static_cast<double>(blocks) / static_cast<double>(threads));
}

const Rule whole_warps_of_a_block = both(rules::whole_warps, rules::block_size);
constexpr const char* own = "Tally's own";

// ----------------------------------------------------------------------------------------- one_block

template <typename A, typename T, int in_flight, typename Op>
__global__ void one_block(A* out, Spans spans, Op op) {
  const A total = total_of_block(gather<A, T, in_flight>(spans, op), op);
  if (threadIdx.x == 0) out[0] = op.finish(total);
}

constexpr std::int64_t most_for_one_block = 1 << 20;

TALLY_VARIANT(Reduce, hopper, one_block)
    .lesson(
        "What fits one multiprocessor's loads in flight, about 64 KB, is done before blocks could have met: one "
        "launch, one trip to memory, one tree.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 512, 1024}, whole_warps_of_a_block)
    .needs("needs n of at most 2^20: one multiprocessor reads a hundredth of what all can",
           [](const ProblemKey& key, const Tuning&) { return key.n <= most_for_one_block; })
    .additions([](const ProblemKey& key, const Tuning& t) {
      return additions_of_blocks(key, 1, t["threads"]);
    })
    .cost([](const ProblemKey& key, const Tuning&) {
      return Cost{.bytes_read = bytes_of_input(key), .bytes_written = bytes_of_answer(key)};
    })
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch&) {
      using A = Accumulator<T>;
      const Spans spans = spans_of(problem.x, problem.n);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(one_block<A, T, 4, Op>, {1, threads}, problem.out, spans, problem.op);
      };
    });

// -------------------------------------------------------------------------------------- vector_loads

template <typename A, typename T, int in_flight, typename Op>
__global__ void vector_loads(A* partials, Spans spans, Op op) {
  const A total = total_of_block(gather<A, T, in_flight>(spans, op), op);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
}

template <typename A, typename Op>
__global__ void add_partials(A* out, const A* partials, int count, Op op) {
  A sum = op.identity();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    sum = op(sum, partials[i]);
  }
  sum = total_of_block(sum, op);
  if (threadIdx.x == 0) out[0] = op.finish(sum);
}

/// Blocks that the array can feed, so that none only waits.
std::int64_t blocks_with_work(std::int64_t n, std::size_t element, const Tuning& t) {
  const std::int64_t elements = t["threads"] * bytes_of_word / static_cast<std::int64_t>(element);
  return std::clamp<std::int64_t>((n + elements - 1) / elements, 1, t["blocks"]);
}
std::int64_t blocks_with_work(const ProblemKey& key, const Tuning& t) {
  return blocks_with_work(key.n, size_of(key.type), t);
}

double additions_of_grid(const ProblemKey& key, const Tuning& t) {
  return additions_of_blocks(key, blocks_with_work(key, t), t["threads"]);
}

TALLY_VARIANT(Reduce, hopper, vector_loads)
    .follows("one_block")
    .lesson(
        "Sixteen bytes a load and four loads on their way before the first is used: the bytes in flight, not the "
        "additions, fill the memory's pipe. One block a multiprocessor and more would do; the second launch is "
        "what small arrays pay.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {512, 256, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {528, 132, 264}, rules::positive)
    .additions(additions_of_grid)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto partials = static_cast<double>(blocks_with_work(key, t));
      return Cost{.bytes_read = bytes_of_input(key) + partials * bytes_of_answer(key),
                  .bytes_written = (partials + 1) * bytes_of_answer(key),
                  .launches = 2,
                  .partials = blocks_with_work(key, t)};
    })
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Spans spans = spans_of(problem.x, problem.n);
      A* partials = scratch.array<A>(blocks);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(vector_loads<A, T, 4, Op>, {blocks, threads}, partials, spans, problem.op);
        q.launch(add_partials<A, Op>, {1, threads}, problem.out, partials, static_cast<int>(blocks),
                 problem.op);
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

template <typename A, typename T, int in_flight, typename Op>
__global__ void one_launch_ticket(A* out, A* partials, unsigned* ticket, Spans spans, Op op) {
  A sum = total_of_block(gather<A, T, in_flight>(spans, op), op);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  if (!draws_last_ticket(ticket)) return;
  sum = op.identity();
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum = op(sum, __ldcg(partials + i));
  sum = total_of_block(sum, op);
  if (threadIdx.x == 0) {
    out[0] = op.finish(sum);
    *ticket = 0;  // as the next call finds it
  }
}

TALLY_VARIANT(Reduce, hopper, one_launch_ticket)
    .follows("vector_loads")
    .lesson(
        "The second launch goes: every block leaves its result and draws a ticket, and the one with the last "
        "ticket adds the results in the order of the blocks, whoever comes when. The same bits every time, for "
        "two trips to the L2 cache in place of a launch.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {512, 256, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {264, 132, 528}, rules::positive)
    .additions(additions_of_grid)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto partials = static_cast<double>(blocks_with_work(key, t));
      return Cost{.bytes_read = bytes_of_input(key) + partials * bytes_of_answer(key),
                  .bytes_written = (partials + 1) * bytes_of_answer(key) + sizeof(unsigned),
                  .partials = blocks_with_work(key, t)};
    })
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Spans spans = spans_of(problem.x, problem.n);
      A* partials = scratch.array<A>(blocks);
      auto* ticket = scratch.zeroed_array<unsigned>(1);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(one_launch_ticket<A, T, 4, Op>, {blocks, threads}, problem.out, partials, ticket, spans,
                 problem.op);
      };
    });

// ----------------------------------------------------------------------------- atomic_self_resetting

template <typename A>
__device__ A add_atomically(A* sum, A value) {
  if constexpr (std::is_integral_v<A>) {
    using Bits = std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned>;
    return static_cast<A>(atomicAdd(reinterpret_cast<Bits*>(sum), static_cast<Bits>(value)));
  } else {
    return atomicAdd(sum, value);
  }
}

template <typename A, typename T, int in_flight, typename Op>
__global__ void atomic_self_resetting(A* out, A* sum, unsigned* ticket, Spans spans, Op op) {
  const A total = total_of_block(gather<A, T, in_flight>(spans, op), op);
  if (threadIdx.x == 0) add_atomically(sum, total);
  if (!draws_last_ticket(ticket) || threadIdx.x != 0) return;
  out[0] = op.finish(add_atomically(sum, A(0)));
  *sum = A(0);
  *ticket = 0;
}

TALLY_VARIANT(Reduce, hopper, atomic_self_resetting)
    .follows("one_launch_ticket")
    .lesson(
        "One atomic addition a block replaces the partial results: the L2 cache adds. The last block takes the "
        "sum and puts the state back to zero, so that no call has to begin with a clearing launch. The order of "
        "additions is the order of arrival.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {512, 256, 1024}, whole_warps_of_a_block)
    .tunable("blocks", {264, 132, 528}, rules::positive)
    .knob("op", {"sum", "mean"})
    .not_deterministic("blocks add to the sum in the order in which they end (integers do not care)")
    .additions([](const ProblemKey& key, const Tuning& t) {
      return additions_of_grid(key, t) + static_cast<double>(blocks_with_work(key, t));
    })
    .cost([](const ProblemKey& key, const Tuning&) {
      return Cost{.bytes_read = bytes_of_input(key),
                  .bytes_written = 2 * bytes_of_answer(key) + sizeof(unsigned)};
    })
    .prepare([]<typename T>(Reduce<T, Sum<Accumulator<T>>> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t blocks = blocks_with_work(problem.n, sizeof(T), t);
      const Spans spans = spans_of(problem.x, problem.n);
      A* sum = scratch.zeroed_array<A>(1);
      auto* ticket = scratch.zeroed_array<unsigned>(1);
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(atomic_self_resetting<A, T, 4, Sum<A>>, {blocks, threads}, problem.out, sum, ticket, spans,
                 problem.op);
      };
    });

}  // namespace
}  // namespace tally
