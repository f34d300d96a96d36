#pragma once

#include <cstddef>
#include <span>

#include "tuned.h"

/// Which kernel for how many bytes. Plain C++, so that it is tested without a GPU.
namespace tally_scan {

/// The rows for elements of 4 or 8 bytes.
constexpr std::span<const Row> table_for(std::size_t element_bytes) {
  if (element_bytes == 4) return table_of_4_byte_elements;
  return table_of_8_byte_elements;
}

/// The table's kernel for an array of so many bytes.
constexpr Kernel kernel_for(std::size_t element_bytes, std::int64_t bytes) {
  const Row* row = table_for(element_bytes).data();
  while (bytes > row->most_bytes) ++row;
  return row->kernel;
}

/// Tiles that so many bytes make; each is one block's.
constexpr std::int64_t tiles_for(const Kernel& kernel, std::int64_t bytes) {
  return (bytes + kernel.tile_bytes() - 1) / kernel.tile_bytes();
}

}  // namespace tally_scan
