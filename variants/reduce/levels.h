#pragma once

#include <bit>
#include <cstdint>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

/// Many sources stop at one value a block. Their stages come to a scalar by launching the same kernel again
/// over those values, until one block is left: 2^28 elements in blocks of 256 take four launches, leaving
/// 2^20, 2^12, 16 and 1 values. The values of all levels lie behind one another in one scratch array, which
/// costs less than half a percent more than two arrays taking turns, and no level ever writes where a block
/// of the same level still reads.
namespace tally {

/// How many blocks `count` values need.
inline std::int64_t blocks_for(std::int64_t count, std::int64_t values_of_block) {
  return (count + values_of_block - 1) / values_of_block;
}

/// What the levels come to, for cost models.
struct Levels {
  std::int64_t launches = 0;
  std::int64_t partials = 0;  ///< values left between the launches, over all levels

  /// `values_of_block` (at least 2) is how many values one block reduces to one.
  Levels(std::int64_t n, std::int64_t values_of_block) {
    do {
      n = blocks_for(n, values_of_block);
      ++launches;
      if (n > 1) partials += n;
    } while (n > 1);
  }
};

/// Levels whose kernel reads every value once.
inline Cost cost_of_levels(const ProblemKey& key, std::int64_t values_of_block) {
  const Levels levels(key.n, values_of_block);
  const auto element = static_cast<double>(size_of(key.type));
  const auto partial = static_cast<double>(size_of(accumulator_of(key.type)));
  return {.bytes_read = static_cast<double>(key.n) * element + static_cast<double>(levels.partials) * partial,
          .bytes_written = static_cast<double>(levels.partials + 1) * partial,
          .launches = levels.launches,
          .partials = levels.partials};
}

/// The chain of additions where a block of `values_of_block` values adds up in a tree.
inline double additions_of_levels(const ProblemKey& key, std::int64_t values_of_block) {
  const int depth = std::bit_width(static_cast<std::uint64_t>(values_of_block - 1));
  return static_cast<double>(Levels(key.n, values_of_block).launches * depth);
}

/// How a level is launched.
struct LevelShape {
  std::int64_t threads;
  std::int64_t values_of_block;
  std::int64_t shared_bytes = 0;
};

/// The timed call: `first` over x, then `further` over its partial results until one is left. Both are
/// kernels of (out, x, n, op, last) that leave one value a block in out; `last` asks for the finished answer.
template <typename X, typename A, typename T, typename Op>
auto in_levels(void (*first)(A*, X*, std::int64_t, Op, bool), auto further, X* x,
               const Reduce<T, Op>& problem, LevelShape shape, Scratch& scratch) {
  const std::int64_t partial_count = Levels(problem.n, shape.values_of_block).partials;
  A* const partials = partial_count > 0 ? scratch.array<A>(partial_count) : nullptr;
  return [=](Queue& q) {
    std::int64_t blocks = blocks_for(problem.n, shape.values_of_block);
    A* written = blocks == 1 ? problem.out : partials;
    q.launch(first, {blocks, shape.threads, shape.shared_bytes}, written, x, problem.n, problem.op,
             blocks == 1);
    while (blocks > 1) {
      A* const read = written;
      const std::int64_t count = blocks;
      blocks = blocks_for(count, shape.values_of_block);
      written = blocks == 1 ? problem.out : read + count;
      q.launch(further, {blocks, shape.threads, shape.shared_bytes}, written, read, count, problem.op,
               blocks == 1);
    }
  };
}

/// Levels of blocks that keep one A a thread in dynamic shared memory, where each thread brings
/// `values_a_thread` values.
template <typename A, typename T, typename Op>
auto in_levels_of_trees(void (*first)(A*, const T*, std::int64_t, Op, bool),
                        void (*further)(A*, const A*, std::int64_t, Op, bool), const Reduce<T, Op>& problem,
                        std::int64_t threads, std::int64_t values_a_thread, Scratch& scratch) {
  return in_levels(first, further, problem.x, problem,
                   {threads, values_a_thread * threads, threads * static_cast<std::int64_t>(sizeof(A))},
                   scratch);
}

}  // namespace tally
