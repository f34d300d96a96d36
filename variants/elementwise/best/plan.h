#pragma once

#include "tuned.h"

/// Which kernel, in which shape, for how many bytes. Plain C++, so that it is tested without a GPU.
namespace tally_elementwise {

inline constexpr int rows_of_table = sizeof(table) / sizeof(table[0]);

/// Blocks of a row's kernel for `words` 16-byte words of each array, and elements around them if `has_ends`,
/// on a GPU of that many multiprocessors. With a tile a block, those elements have a block of their own.
constexpr int blocks_of(const Row& row, std::int64_t words, bool has_ends, int multiprocessors) {
  const std::int64_t tile = row.kernel.tile_bytes();
  const std::int64_t tiles = (words * 16 + tile - 1) / tile;
  if (row.kernel.way == Way::tiles) return static_cast<int>(tiles + (has_ends ? 1 : 0));
  const std::int64_t staying = std::int64_t{row.of_each_multiprocessor} * multiprocessors;
  const std::int64_t blocks = tiles < staying ? tiles : staying;
  return static_cast<int>(blocks > 1 ? blocks : 1);
}

/// The table's row for so many bytes of all arrays together.
constexpr const Row& row_for(std::int64_t bytes) {
  const Row* row = table;
  while (bytes > row->most_bytes) ++row;
  return *row;
}

}  // namespace tally_elementwise
