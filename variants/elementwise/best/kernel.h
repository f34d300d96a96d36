#pragma once

#include <cstdint>

/// The kernels by name and shape, and what a row of the table says. Plain C++, so that it is tested without a
/// GPU.
namespace tally_elementwise {

enum class Way : std::uint8_t {
  tiles,   ///< one tile a block, as many blocks as tiles
  blocks,  ///< blocks that stay, tile after tile
  copies   ///< blocks that stay; bulk copies bring the tiles into shared memory and take them out
};

/// What the caches are told of words that are moved once.
enum class Hint : std::uint8_t {
  none,        ///< keep as anything else; past the first-level cache
  evict_first  ///< the first to make place for others
};

/// A kernel's template arguments: threads of a block, and what is in flight (`depth`): words of each input a
/// thread, or stages of `stage_bytes` of each input a block.
struct Kernel {
  Way way;
  int threads;
  int depth;
  Hint loads = Hint::none;
  Hint stores = Hint::none;
  int stage_bytes = 0;

  constexpr bool operator==(const Kernel&) const = default;
  /// Of each array.
  constexpr std::int64_t tile_bytes() const {
    return way == Way::copies ? stage_bytes : std::int64_t{threads} * depth * 16;
  }
  constexpr int shared_bytes(int inputs) const {
    return way == Way::copies ? depth * stage_bytes * inputs : 0;
  }
  /// The multiple of bytes at which its words should begin: bulk copies of memory that does not begin at a
  /// multiple of 128 are slower.
  constexpr int boundary() const { return way == Way::copies ? 128 : 16; }
};

/// A kernel's template arguments one by one: nvcc takes no structure as an argument of a __global__ template.
template <Way way, int threads, int depth, Hint loads, Hint stores, int stage_bytes>
struct Arguments {
  static constexpr Kernel kernel{way, threads, depth, loads, stores, stage_bytes};
};
template <Kernel kernel>
using ArgumentsOf =
    Arguments<kernel.way, kernel.threads, kernel.depth, kernel.loads, kernel.stores, kernel.stage_bytes>;

/// From the row before it up to `most_bytes` of all arrays together, inputs and output. Kernels whose blocks
/// stay have `of_each_multiprocessor` of them.
struct Row {
  std::int64_t most_bytes;
  Kernel kernel;
  int of_each_multiprocessor = 0;
};

inline constexpr std::int64_t any_size = INT64_MAX;
inline constexpr std::int64_t kilobytes = 1024;
inline constexpr std::int64_t megabytes = 1024 * kilobytes;

}  // namespace tally_elementwise
