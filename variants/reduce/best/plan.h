#pragma once

#include "tuned.h"

/// Which kernel, in which shape, for how many bytes. Plain C++, so that it is tested without a GPU.
namespace tally_reduce {

/// A launch: `tiles` of kernel.tile_bytes() dealt by turns to `blocks` blocks.
struct Plan {
  Kernel kernel;
  std::int64_t tiles;
  int blocks;

  constexpr bool uses_slots() const { return kernel.way != Way::one_block && kernel.way != Way::cluster; }
  constexpr int slots() const { return uses_slots() ? blocks - 1 : 0; }
};

inline constexpr int rows_of_table = sizeof(table) / sizeof(table[0]);

/// The plan that a row makes for `words` 16-byte words on a GPU of that many multiprocessors.
constexpr Plan plan_of(const Row& row, std::int64_t words, int multiprocessors) {
  const std::int64_t tile = row.kernel.tile_bytes();
  const std::int64_t tiles = (words * 16 + tile - 1) / tile;
  std::int64_t blocks = tiles > 1 ? tiles : 1;
  const std::int64_t staying = std::int64_t{row.of_each_multiprocessor} * multiprocessors;
  if (staying > 0 && blocks > staying) blocks = staying;
  return {row.kernel, tiles, static_cast<int>(blocks)};
}

/// The plan of the table's row for so many bytes.
constexpr Plan plan_for(std::int64_t words, int multiprocessors) {
  const Row* row = table;
  while (words * 16 > row->most_bytes) ++row;
  return plan_of(*row, words, multiprocessors);
}

/// Slots that are enough for every size.
constexpr int most_slots(int multiprocessors) {
  int most = 256;
  for (const Row& row : table) {
    const int staying = row.of_each_multiprocessor * multiprocessors - 1;
    if (staying > most) most = staying;
  }
  return most;
}

}  // namespace tally_reduce
