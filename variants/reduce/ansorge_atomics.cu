/// The stages of ansorge.cu's ladder that need no second launch: each block adds its sum to the answer.
///
///   reduce7         no tree in shared memory at all: registers, shuffles, one atomic a block, one pass
///   reduce7_float4  the same with loads of 16 bytes
///   reduce8         cg::reduce in place of the written-out shuffles
///
/// An atomic needs an answer to begin with, so they first set it, in a launch of their own inside the call; a
/// mean takes one more launch at the end, which divides. The book's reduce7 adds once a warp, to a cell of
/// its block, and calls itself again for those cells; here a block adds once to the answer.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/ansorge.h"
#include "variants/reduce/levels.h"

namespace tally {
namespace {

// ------------------------------------------------------------------------------------------- reduce7

template <typename A, typename Op>
__global__ void set_to_identity(A* out, Op op) {
  out[0] = op.identity();
}

template <typename A, typename Op>
__global__ void finish(A* out, Op op) {
  out[0] = op.finish(out[0]);
}

/// *answer = op(*answer, value), for any number of blocks at once. The GPU has no min and max of floating
/// types: those compare and swap the bits until nobody came between. They begin with the identity, which
/// `answer` held at first, and end as soon as `value` would change nothing.
template <typename A, typename Op>
__device__ void combine_atomically(A* answer, A value, Op op) {
  if constexpr (Op::is_sum && std::is_integral_v<A>) {
    using Bits = std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned>;
    atomicAdd(reinterpret_cast<Bits*>(answer), static_cast<Bits>(value));
  } else if constexpr (Op::is_sum) {
    atomicAdd(answer, value);
  } else if constexpr (std::is_integral_v<A>) {
    using Integer = std::conditional_t<sizeof(A) == 8, long long, int>;
    constexpr bool is_min = std::is_same_v<Op, Min<A>>;
    auto* integer = reinterpret_cast<Integer*>(answer);
    is_min ? atomicMin(integer, static_cast<Integer>(value))
           : atomicMax(integer, static_cast<Integer>(value));
  } else {
    using Bits = std::conditional_t<sizeof(A) == 8, unsigned long long, unsigned>;
    auto seen = std::bit_cast<Bits>(op.identity());
    while (true) {
      const auto wanted = std::bit_cast<Bits>(op(std::bit_cast<A>(seen), value));
      if (wanted == seen) return;
      const Bits before = atomicCAS(reinterpret_cast<Bits*>(answer), seen, wanted);
      if (before == seen) return;
      seen = before;
    }
  }
}

/// The totals of the warps meet in shared memory, one warp adds them up, one thread hands them over.
template <typename A, typename Op, typename TotalOfWarp>
__device__ void add_block_to_answer(A* out, A sum, Op op, TotalOfWarp total_of) {
  A* totals = dynamic_shared<A>();
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const unsigned id = block.thread_rank();
  const A total = total_of(warp, sum, op);
  if (warp.thread_rank() == 0) totals[id / lanes] = total;
  block.sync();
  if (id < lanes) {
    const A total_of_block = total_of(warp, id < block.size() / lanes ? totals[id] : op.identity(), op);
    if (id == 0) combine_atomically(out, total_of_block, op);
  }
}

/// How reduce7 adds up a warp.
struct Shuffles {
  template <typename Warp, typename A, typename Op>
  __device__ A operator()(const Warp& warp, A sum, Op op) const {
    return total_of_warp(warp, sum, op);
  }
};

template <typename A, typename T, typename Op>
__global__ void reduce7(A* out, const T* x, std::int64_t n, Op op) {
  A sum = op.identity();
  for (std::int64_t i = thread_of_grid(); i < n; i += threads_of_grid()) sum = op(sum, static_cast<A>(x[i]));
  add_block_to_answer(out, sum, op, Shuffles{});
}

/// The timed call of all stages with an atomic: the answer is set, `reduce(q, shape)` launches, and a mean is
/// divided.
template <typename T, typename Op>
auto round_an_answer(const Reduce<T, Op>& problem, const Tuning& t, auto reduce) {
  using A = Accumulator<T>;
  const LaunchShape shape(t["blocks"], t["threads"],
                          t["threads"] / lanes * static_cast<std::int64_t>(sizeof(A)));
  return [=](Queue& q) {
    q.launch(set_to_identity<A, Op>, {1, 1}, problem.out, problem.op);
    reduce(q, shape);
    if constexpr (Op::is_sum) {
      if (problem.op.divisor != A(1)) q.launch(finish<A, Op>, {1, 1}, problem.out, problem.op);
    }
  };
}

/// Without the atomics themselves, one a block, which the L2 cache carries out.
Cost cost_with_atomics(const ProblemKey& key, const Tuning&) {
  const auto answer = static_cast<double>(size_of(accumulator_of(key.type)));
  const bool divides = key.text("op") == "mean" && key.n > 1;
  return {.bytes_read =
              static_cast<double>(key.n) * static_cast<double>(size_of(key.type)) + (divides ? answer : 0),
          .bytes_written = divides ? 2 * answer : answer,
          .launches = divides ? 3 : 2};
}

/// A share in a register, two trees of 32, and the blocks' atomics one after another.
double additions_with_atomics(const ProblemKey& key, const Tuning& t) {
  return static_cast<double>(blocks_for(key.n, t["blocks"] * t["threads"]) + 10 + t["blocks"]);
}

const Rule whole_warps_of_a_block = both(rules::whole_warps, rules::block_size);
constexpr const char* order_of_atomics = "blocks add to the answer in the order in which they end";

TALLY_VARIANT(Reduce, ansorge, reduce7)
    .follows("reduce6")
    .lesson(
        "Sums in registers, shuffles in the warp, one atomic a block: no tree in shared memory and no launch "
        "over partial results. What it needs instead is an answer that has been set, inside the call.")
    .source(book)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, whole_warps_of_a_block)
    .tunable("blocks", {288, 264, 1056, 2112}, rules::positive)
    .not_deterministic(order_of_atomics)
    .additions(additions_with_atomics)
    .cost(cost_with_atomics)
    .published("RTX 2070", published_later_n, ScalarType::float32, 0.902, "ms")
    .published("RTX 3080", published_later_n, ScalarType::float32, 0.471, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch&) {
      return round_an_answer(problem, t, [=](Queue& q, const LaunchShape& shape) {
        q.launch(reduce7<Accumulator<T>, T, Op>, shape, problem.out, problem.x, problem.n, problem.op);
      });
    });

// ------------------------------------------------------------------------------------ reduce7_float4

constexpr std::int64_t pack_bytes = 16;

/// The array as a head, whole packs and a tail. The book asks for a length that is a multiple of four; an
/// address need not be a multiple of 16 either.
struct Packs {
  std::int64_t head;   ///< elements before the first address that is a multiple of 16
  std::int64_t count;  ///< packs of 16 bytes
  std::int64_t tail;   ///< elements after them
};

template <typename T>
Packs packs_of(const T* x, std::int64_t n) {
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) % pack_bytes);
  const std::int64_t head = std::min(n, (pack_bytes - address) % pack_bytes / element);
  const std::int64_t count = (n - head) * element / pack_bytes;
  return {head, count, n - head - count * (pack_bytes / element)};
}

/// Keeps a sum for each element of a pack; head and tail, fewer than 16 elements each, fall to the first
/// threads of the grid.
template <typename A, typename T, typename Op>
__global__ void reduce7_float4(A* out, const T* x, Packs packs, Op op) {
  constexpr int width = pack_bytes / sizeof(T);
  A sums[width];
#pragma unroll
  for (int k = 0; k < width; ++k) sums[k] = op.identity();
  const std::int64_t thread = thread_of_grid();
  if (thread < packs.head) sums[0] = static_cast<A>(x[thread]);
  const auto* pack = reinterpret_cast<const int4*>(x + packs.head);
  if (thread < packs.tail) {
    sums[0] = op(sums[0], static_cast<A>(x[packs.head + packs.count * width + thread]));
  }
  for (std::int64_t i = thread; i < packs.count; i += threads_of_grid()) {
    const int4 words = pack[i];
    T elements[width];
    memcpy(elements, &words, sizeof words);
#pragma unroll
    for (int k = 0; k < width; ++k) sums[k] = op(sums[k], static_cast<A>(elements[k]));
  }
#pragma unroll
  for (int k = 1; k < width; ++k) sums[0] = op(sums[0], sums[k]);
  add_block_to_answer(out, sums[0], op, Shuffles{});
}

TALLY_VARIANT(Reduce, ansorge, reduce7_float4)
    .follows("reduce7")
    .lesson(
        "Sixteen bytes a load, whatever the type: a quarter of the load instructions and four times the bytes "
        "in flight a thread. The one stage of the ladder that moves the time.")
    .source(book)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, whole_warps_of_a_block)
    .tunable("blocks", {288, 264, 1056, 2112}, rules::positive)
    .not_deterministic(order_of_atomics)
    .additions([](const ProblemKey& key, const Tuning& t) {
      const auto width = pack_bytes / static_cast<std::int64_t>(size_of(key.type));
      const std::int64_t share = blocks_for(key.n, t["blocks"] * t["threads"] * width);
      return static_cast<double>(share + 2 + width + 10 + t["blocks"]);
    })
    .cost(cost_with_atomics)
    .published("RTX 2070", published_later_n, ScalarType::float32, 0.633, "ms")
    .published("RTX 3080", published_later_n, ScalarType::float32, 0.375, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch&) {
      const Packs packs = packs_of(problem.x, problem.n);
      return round_an_answer(problem, t, [=](Queue& q, const LaunchShape& shape) {
        q.launch(reduce7_float4<Accumulator<T>, T, Op>, shape, problem.out, problem.x, packs, problem.op);
      });
    });

// ------------------------------------------------------------------------------------------- reduce8

/// How reduce8 adds up a warp: the library's own functions, for which some GPUs have an instruction.
struct LibraryReduce {
  template <typename Warp, typename A, typename Op>
  __device__ A operator()(const Warp& warp, A sum, Op) const {
    if constexpr (Op::is_sum) return cg::reduce(warp, sum, cg::plus<A>());
    if constexpr (std::is_same_v<Op, Min<A>>) return cg::reduce(warp, sum, cg::less<A>());
    if constexpr (std::is_same_v<Op, Max<A>>) return cg::reduce(warp, sum, cg::greater<A>());
  }
};

template <typename A, typename T, typename Op>
__global__ void reduce8(A* out, const T* x, std::int64_t n, Op op) {
  A sum = op.identity();
  for (std::int64_t i = thread_of_grid(); i < n; i += threads_of_grid()) sum = op(sum, static_cast<A>(x[i]));
  add_block_to_answer(out, sum, op, LibraryReduce{});
}

TALLY_VARIANT(Reduce, ansorge, reduce8)
    .follows("reduce7_float4")
    .lesson(
        "One library call in place of five shuffles; for 32-bit integers it is one instruction since Ampere. "
        "It goes back to plain loads, and the time goes back with it: the warp's tree is not the cost.")
    .source(book)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, whole_warps_of_a_block)
    .tunable("blocks", {288, 264, 1056, 2112}, rules::positive)
    .not_deterministic(order_of_atomics)
    .additions(additions_with_atomics)
    .cost(cost_with_atomics)
    .published("RTX 2070", published_later_n, ScalarType::float32, 0.899, "ms")
    .published("RTX 3080", published_later_n, ScalarType::float32, 0.469, "ms")
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch&) {
      return round_an_answer(problem, t, [=](Queue& q, const LaunchShape& shape) {
        q.launch(reduce8<Accumulator<T>, T, Op>, shape, problem.out, problem.x, problem.n, problem.op);
      });
    });

}  // namespace
}  // namespace tally
