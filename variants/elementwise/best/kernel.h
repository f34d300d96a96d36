#pragma once

#include <cstdint>

/// The kernels by name and shape, and what a row of the table says. Plain C++, so that it is tested without a
/// GPU.
namespace tally_elementwise {

/// How a tile gets into its block.
enum class Way : std::uint8_t {
  loads,  ///< into the threads' registers
  copies  ///< into shared memory, by the bulk copy engine
};

/// What the caches are told of words that are moved once.
enum class Hint : std::uint8_t {
  none,        ///< keep as anything else; past the first-level cache
  evict_first  ///< the first to make place for others
};

/// When a block lets a programmatic launch behind this one become resident. That one waits for the end of all
/// that is before it anyhow: the question is how long its blocks take places from those that still work.
enum class Next : std::uint8_t {
  at_once,      ///< before anything else
  when_loaded,  ///< all that the block reads is on its way
  when_stored   ///< all that it writes is on its way too
};

/// A kernel's template arguments: threads of a block, and the words of each array that a thread has. All that
/// a block reads is on its way before any of it is used.
struct Kernel {
  Way way;
  int threads;
  int depth;
  Hint loads = Hint::none;
  Hint stores = Hint::none;
  Next next = Next::when_loaded;

  constexpr bool operator==(const Kernel&) const = default;
  /// Of each array.
  constexpr int tile_bytes() const { return threads * depth * 16; }
  constexpr int shared_bytes(int inputs) const { return way == Way::copies ? tile_bytes() * inputs : 0; }
};

/// A kernel's template arguments one by one: nvcc takes no structure as an argument of a __global__ template.
template <Way way, int threads, int depth, Hint loads, Hint stores, Next next>
struct Arguments {
  static constexpr Kernel kernel{way, threads, depth, loads, stores, next};
};
template <Kernel kernel>
using ArgumentsOf =
    Arguments<kernel.way, kernel.threads, kernel.depth, kernel.loads, kernel.stores, kernel.next>;

/// From the row before it up to `most_bytes` of all arrays together, inputs and output.
struct Row {
  std::int64_t most_bytes;
  Kernel kernel;
};

inline constexpr std::int64_t any_size = INT64_MAX;
inline constexpr std::int64_t kilobytes = 1024;
inline constexpr std::int64_t megabytes = 1024 * kilobytes;

}  // namespace tally_elementwise
