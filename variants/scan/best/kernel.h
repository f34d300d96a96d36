#pragma once

#include <cstdint>

/// The kernels by name and shape, and what a row of the table says. Plain C++, so that it is tested without a
/// GPU.
namespace tally_scan {

enum class Way : std::uint8_t {
  registers,  ///< a block holds its tile in registers, loaded by its threads
  bulk        ///< a block holds its tile in shared memory, moved in and out by the bulk copy engine
};

inline constexpr int bytes_of_word = 16;

/// A kernel's template arguments. Each of a block's `threads` scans `words` 16-byte words; a block has one
/// tile of the array. `near` sums of tiles are read by each lane of the warp that looks back.
struct Kernel {
  Way way;
  int threads;
  int words;
  int near;

  constexpr bool operator==(const Kernel&) const = default;
  constexpr std::int64_t warp_bytes() const { return std::int64_t{32} * words * bytes_of_word; }
  constexpr std::int64_t tile_bytes() const { return std::int64_t{threads} * words * bytes_of_word; }
  constexpr int shared_bytes() const { return way == Way::registers ? 0 : static_cast<int>(tile_bytes()); }
};

/// From the row before it up to `most_bytes`.
struct Row {
  std::int64_t most_bytes;
  Kernel kernel;
};

inline constexpr std::int64_t any_size = INT64_MAX;
inline constexpr std::int64_t kilobytes = 1024;
inline constexpr std::int64_t megabytes = 1024 * kilobytes;

}  // namespace tally_scan
