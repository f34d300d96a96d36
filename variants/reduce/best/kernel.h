#pragma once

#include <cstdint>

/// The kernels by name and shape, and what a row of the table says. Plain C++, so that it is tested without a
/// GPU.
namespace tally_reduce {

enum class Way : std::uint8_t {
  one_block,  ///< one block loads everything at once
  cluster,    ///< a tile a block, up to 8 blocks, which meet in shared memory
  tile_each,  ///< a tile a block, up to 257 blocks, which meet in slots
  blocks,     ///< blocks that stay, tile after tile, and meet in slots
  copies      ///< the same, loaded by the bulk copy engine
};

/// A kernel's template arguments: threads of a block, and what is in flight (`depth`): 16-byte loads a
/// thread, or stages of `stage_bytes` a block.
struct Kernel {
  Way way;
  int threads;
  int depth;
  int stage_bytes = 0;

  constexpr bool operator==(const Kernel&) const = default;
  constexpr std::int64_t tile_bytes() const {
    return way == Way::copies ? stage_bytes : std::int64_t{threads} * depth * 16;
  }
  constexpr int shared_bytes() const { return way == Way::copies ? depth * stage_bytes : 0; }
  /// The most tiles that it can take; no limit where blocks stay. A tile each: one warp combines the blocks.
  constexpr std::int64_t most_tiles() const {
    switch (way) {
      case Way::one_block:
        return 1;
      case Way::cluster:
        return 8;
      case Way::tile_each:
        return 32 * slots_of_lane() + 1;
      default:
        return INT64_MAX;
    }
  }
  /// Slots that a lane of the combining warp reads at once.
  constexpr int slots_of_lane() const { return threads < 128 ? 8 : 4; }
  /// The multiple of bytes at which its words should begin: bulk copies of memory that does not begin at a
  /// multiple of 128 are a fifth slower.
  constexpr int boundary() const { return way == Way::copies ? 128 : 16; }
};

/// From the row before it up to `most_bytes`. Kernels whose blocks stay have `of_each_multiprocessor` of
/// them.
struct Row {
  std::int64_t most_bytes;
  Kernel kernel;
  int of_each_multiprocessor = 0;
};

inline constexpr std::int64_t any_size = INT64_MAX;
inline constexpr std::int64_t kilobytes = 1024;
inline constexpr std::int64_t megabytes = 1024 * kilobytes;

}  // namespace tally_reduce
