/// Dot products of halves by atomic addition, after a note on OneFlow's and PyTorch's fast atomic add.
///
///   half_atomic         one atomicAdd of a half a thread
///   half2_atomic        packs of two, and atomicAdd of a half2 that carries the same sum twice
///   fast_add            one half a thread again, added as a half2 with a zero beside it
///   float_accumulation  sums in float, met in the block; one float atomic a block
///   deterministic       the same, with a second launch in place of the atomics
///
/// The first three are as published, and their accumulator is a half: from 2048 times the size of a term it
/// stops growing (at 32 where 0.1 · 0.1 is added 32 Mi times; the true 335,380 is beyond any half). They
/// take problems that ask for an answer in the elements' own type, and are exact on `values: fitting`.
///
/// Two things are repaired. The source zeroes its own pointer (cudaMemset(&output)) where it means the memory
/// behind it; here the output is zeroed within the call. Its packs lose the last element of an odd array.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

namespace tally {
namespace {

constexpr const char* notes = "Notes on GPU performance: fast atomic add, after OneFlow and PyTorch";
constexpr std::int64_t published_n = 32 << 20;
constexpr const char* order_of_atomics =
    "the order in which the threads' atomics arrive decides the rounding";

std::int64_t blocks_for(std::int64_t n, std::int64_t threads) { return (n + threads - 1) / threads; }

/// Any order of n half additions: with one atomic a thread all of them are one chain.
double one_chain(const ProblemKey& key, const Tuning&) { return static_cast<double>(key.n); }

Cost cost_of_atomics(const ProblemKey& key, const Tuning&) {
  return {.bytes_read = 2.0 * static_cast<double>(key.n) * static_cast<double>(size_of(key.type)),
          .bytes_written = static_cast<double>(size_of(key.type))};
}

// --------------------------------------------------------------------------------------- half_atomic

/// What a thread of half_atomic and fast_add adds: its elements' products, summed as halves.
__device__ half sum_of_products(const half* x, const half* y, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  half sum = __float2half(0.0f);
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sum = sum + x[i] * y[i];
  }
  return sum;
}

__global__ void half_atomic(const half* x, const half* y, half* out, std::int64_t n) {
  atomicAdd(out, sum_of_products(x, y, n));
}

TALLY_VARIANT(Dot, half_atomics, half_atomic)
    .lesson(
        "One atomic addition a thread, all to one address: n of them wait in line, and a half is too narrow "
        "to hold their sum.")
    .source(notes)
    .types<half>()
    .knob("accumulate", {"own"})
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .not_deterministic(order_of_atomics)
    .additions(one_chain)
    .cost(cost_of_atomics)
    .published("A100", published_n, ScalarType::float16, 422.4, "ms")
    .prepare([](Dot<half, half> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        q.memset(problem.out, 0, sizeof(half));
        q.launch(half_atomic, {blocks_for(problem.n, threads), threads}, problem.x, problem.y, problem.out,
                 problem.n);
      };
    });

// --------------------------------------------------------------------------------------- half2_atomic

/// Packs of two elements. As in the source there is a thread for each element and not for each pack, so half
/// of the threads come with nothing and add their zero. The last element of an odd array has no pack: the
/// first thread takes it along.
__global__ void half2_atomic(const half2* x, const half2* y, half2* sums, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  half sum = __float2half(0.0f);
  for (std::int64_t i = thread; i < n / 2; i += stride) {
    const half2 a = x[i];
    const half2 b = y[i];
    sum = sum + a.x * b.x;
    sum = sum + a.y * b.y;
  }
  if (thread == 0 && n % 2 != 0) {
    sum = sum + reinterpret_cast<const half*>(x)[n - 1] * reinterpret_cast<const half*>(y)[n - 1];
  }
  atomicAdd(sums, __halves2half2(sum, sum));
}

TALLY_VARIANT(Dot, half_atomics, half2_atomic)
    .follows("half_atomic")
    .lesson(
        "The memory's atomic units add 32 bits at a time. A half2 is what they take as it is; a lone half "
        "is not. Both halves of the sum are the same.")
    .source(notes)
    .types<half>()
    .knob("accumulate", {"own"})
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .not_deterministic(order_of_atomics)
    .additions(one_chain)
    .cost(cost_of_atomics)
    .published("A100", published_n, ScalarType::float16, 137.0, "ms")
    .prepare([](Dot<half, half> problem, const Tuning& t, Scratch& scratch) {
      half2* sums = scratch.array<half2>(1);
      return [=, threads = t["threads"]](Queue& q) {
        q.memset(sums, 0, sizeof(half2));
        q.launch(half2_atomic, {blocks_for(problem.n, threads), threads},
                 reinterpret_cast<const half2*>(problem.x), reinterpret_cast<const half2*>(problem.y), sums,
                 problem.n);
        q.copy(problem.out, sums, sizeof(half));
      };
    });

// ------------------------------------------------------------------------------------------- fast_add

/// Adds a half to cells[index] as a half2 whose other half is zero, where the pair that holds the cell lies
/// within `cells`; alone where it does not.
__device__ void add_beside_zero(half* cells, std::int64_t index, std::int64_t count, half value) {
  half* cell = cells + index;
  const half zero = __float2half(0.0f);
  const bool first_of_pair = reinterpret_cast<std::uintptr_t>(cell) % sizeof(half2) == 0;
  if (first_of_pair && index + 1 < count) {
    atomicAdd(reinterpret_cast<half2*>(cell), __halves2half2(value, zero));
  } else if (!first_of_pair && index > 0) {
    atomicAdd(reinterpret_cast<half2*>(cell - 1), __halves2half2(zero, value));
  } else {
    atomicAdd(cell, value);
  }
}

/// The source tells FastAdd that one half is an array of n, so that it writes beyond it; here the array is
/// the two cells that it is.
__global__ void fast_add(const half* x, const half* y, half* cells, std::int64_t n) {
  add_beside_zero(cells, 0, 2, sum_of_products(x, y, n));
}

TALLY_VARIANT(Dot, half_atomics, fast_add)
    .follows("half2_atomic")
    .lesson(
        "The same atomic unit without packing the input: a zero beside the value makes any half a half2, if "
        "there is a neighbour to add the zero to.")
    .source(notes)
    .types<half>()
    .knob("accumulate", {"own"})
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .not_deterministic(order_of_atomics)
    .additions(one_chain)
    .cost(cost_of_atomics)
    .published("A100", published_n, ScalarType::float16, 137.0, "ms")
    .prepare([](Dot<half, half> problem, const Tuning& t, Scratch& scratch) {
      half* cells = scratch.array<half>(2);
      return [=, threads = t["threads"]](Queue& q) {
        q.memset(cells, 0, 2 * sizeof(half));
        q.launch(fast_add, {blocks_for(problem.n, threads), threads}, problem.x, problem.y, cells, problem.n);
        q.copy(problem.out, cells, sizeof(half));
      };
    });

// --------------------------------------------------------------------------------- float_accumulation

/// The sum of the block's values, in thread 0: warps by shuffles, and then the warps' sums in the first warp.
template <typename A>
__device__ A sum_of_block(A sum) {
  constexpr unsigned all_lanes = 0xffffffff;
  __shared__ A of_warp[32];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(all_lanes, sum, distance);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? of_warp[threadIdx.x] : A(0);
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(all_lanes, sum, distance);
  }
  return sum;
}

template <typename A, typename T>
__device__ A wide_sum_of_products(const T* x, const T* y, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  A sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sum += static_cast<A>(x[i]) * static_cast<A>(y[i]);
  }
  return sum;
}

template <typename A, typename T>
__global__ void add_block_sums(A* total, const T* x, const T* y, std::int64_t n) {
  const A sum = sum_of_block(wide_sum_of_products<A>(x, y, n));
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

/// The only rounding to the answer's type, where that is narrower than the sum.
template <typename Answer, typename A>
__global__ void round_answer(Answer* out, const A* total) {
  out[0] = static_cast<Answer>(total[0]);
}

double additions_of_blocks(const ProblemKey& key, const Tuning& t, double after_the_blocks) {
  const auto threads =
      static_cast<double>(t["threads"] * std::min(t["blocks"], blocks_for(key.n, t["threads"])));
  return std::ceil(static_cast<double>(key.n) / threads) + 10 + after_the_blocks;
}

bool answers_wide(const ProblemKey& key) {
  return key.text("accumulate") == "wide" || accumulator_of(key.type) == key.type;
}

TALLY_VARIANT(Dot, half_atomics, float_accumulation)
    .follows("fast_add")
    .lesson(
        "Sums in float: every product of halves is exact, and rounding begins 13 bits further down. The "
        "blocks meet in one atomic each, so the line is short and memory is the limit.")
    .source("This project: what the notes' kernels need to be right on any input")
    .types<half, bfloat16, float, double>()
    .tunable("threads", {256, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .tunable("blocks", {1056, 528, 264}, rules::between(1, 1 << 20))
    .not_deterministic("the order in which the blocks' atomics arrive decides the rounding")
    .additions([](const ProblemKey& key, const Tuning& t) {
      return additions_of_blocks(key, t,
                                 static_cast<double>(std::min(t["blocks"], blocks_for(key.n, t["threads"]))));
    })
    .cost([](const ProblemKey& key, const Tuning&) {
      const auto sum = static_cast<double>(size_of(accumulator_of(key.type)));
      const auto answer = static_cast<double>(size_of(key.type));
      const bool wide = answers_wide(key);
      return Cost{.bytes_read = 2 * static_cast<double>(key.n) * static_cast<double>(size_of(key.type)) +
                                (wide ? 0 : sum),
                  .bytes_written = wide ? sum : sum + answer,
                  .launches = wide ? 1 : 2,
                  .partials = wide ? 0 : 1};
    })
    .prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t threads = t["threads"];
      const std::int64_t blocks = std::min(t["blocks"], blocks_for(problem.n, threads));
      if constexpr (std::is_same_v<A, Answer>) {
        return [=](Queue& q) {
          q.memset(problem.out, 0, sizeof(A));
          q.launch(add_block_sums<A, T>, {blocks, threads}, problem.out, problem.x, problem.y, problem.n);
        };
      } else {
        A* total = scratch.array<A>(1);
        return [=](Queue& q) {
          q.memset(total, 0, sizeof(A));
          q.launch(add_block_sums<A, T>, {blocks, threads}, total, problem.x, problem.y, problem.n);
          q.launch(round_answer<Answer, A>, {1, 1}, problem.out, total);
        };
      }
    });

// -------------------------------------------------------------------------------------- deterministic

template <typename A, typename T>
__global__ void store_block_sums(A* partials, const T* x, const T* y, std::int64_t n) {
  const A sum = sum_of_block(wide_sum_of_products<A>(x, y, n));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}

template <typename Answer, typename A>
__global__ void add_partials(Answer* out, const A* partials, std::int64_t count) {
  A sum = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) sum += partials[i];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) out[0] = static_cast<Answer>(sum);
}

TALLY_VARIANT(Dot, half_atomics, deterministic)
    .follows("float_accumulation")
    .lesson(
        "A second launch adds the blocks' sums in a fixed order: the same bits in every run, for the price "
        "of one more launch.")
    .source("This project: what the notes' kernels need to be right on any input")
    .types<half, bfloat16, float, double>()
    .tunable("threads", {256, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .tunable("blocks", {1056, 528, 264}, rules::between(1, 1 << 20))
    .additions([](const ProblemKey& key, const Tuning& t) {
      const auto blocks = static_cast<double>(std::min(t["blocks"], blocks_for(key.n, t["threads"])));
      return additions_of_blocks(key, t, std::ceil(blocks / static_cast<double>(t["threads"])) + 10);
    })
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto sum = static_cast<double>(size_of(accumulator_of(key.type)));
      const std::int64_t blocks = std::min(t["blocks"], blocks_for(key.n, t["threads"]));
      const double answer = answers_wide(key) ? sum : static_cast<double>(size_of(key.type));
      return Cost{.bytes_read = 2 * static_cast<double>(key.n) * static_cast<double>(size_of(key.type)) +
                                static_cast<double>(blocks) * sum,
                  .bytes_written = static_cast<double>(blocks) * sum + answer,
                  .launches = 2,
                  .partials = blocks};
    })
    .prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t threads = t["threads"];
      const std::int64_t blocks = std::min(t["blocks"], blocks_for(problem.n, threads));
      A* partials = scratch.array<A>(blocks);
      return [=](Queue& q) {
        q.launch(store_block_sums<A, T>, {blocks, threads}, partials, problem.x, problem.y, problem.n);
        q.launch(add_partials<Answer, A>, {1, threads}, problem.out, partials, blocks);
      };
    });

}  // namespace
}  // namespace tally
