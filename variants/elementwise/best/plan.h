#pragma once

#include "tuned.h"

/// Which kernel for how many bytes, in how many blocks. Plain C++, so that it is tested without a GPU.
namespace tally_elementwise {

inline constexpr int rows_of_table = sizeof(table) / sizeof(table[0]);

/// One for each tile of `words` 16-byte words of each array, and one for the elements around the words, if
/// there are any.
constexpr unsigned blocks_of(const Kernel& kernel, std::int64_t words, bool has_ends) {
  const std::int64_t tile = kernel.tile_bytes();
  return static_cast<unsigned>((words * 16 + tile - 1) / tile + (has_ends ? 1 : 0));
}

/// The table's kernel for so many bytes of all arrays together.
constexpr const Kernel& kernel_for(std::int64_t bytes) {
  const Row* row = table;
  while (bytes > row->most_bytes) ++row;
  return row->kernel;
}

}  // namespace tally_elementwise
