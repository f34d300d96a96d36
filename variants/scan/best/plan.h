#pragma once

#include "tuned.h"

/// Which kernel for how many bytes. Plain C++, so that it is tested without a GPU.
namespace tally_scan {

inline constexpr int rows_of_table = sizeof(table) / sizeof(table[0]);

/// The table's kernel for so many bytes.
constexpr Kernel kernel_for(std::int64_t bytes) {
  const Row* row = table;
  while (bytes > row->most_bytes) ++row;
  return row->kernel;
}

/// Tiles that so many bytes make; each is one block's.
constexpr std::int64_t tiles_for(const Kernel& kernel, std::int64_t bytes) {
  return (bytes + kernel.tile_bytes() - 1) / kernel.tile_bytes();
}

}  // namespace tally_scan
