#pragma once

#include <algorithm>

#include "task.h"

/// How a task is shared out among blocks. Plain C++, so that it is tested without a GPU.
namespace tally_index_add {

inline constexpr int threads_of_block = 256;
inline constexpr int warps_of_block = threads_of_block / 32;

/// A panel is up to 32 vectors of each row of one plane. A block takes a stretch of the indices and, panel
/// after panel, what belongs to them.
struct Shares {
  int vector;        ///< elements that a lane reads and adds at once: 1, 2, 4 or 8
  int lanes_of_row;  ///< a power of two; a warp works at 32 / lanes_of_row rows at a time
  int window;        ///< indices that a warp puts in order: a power of two from that number of rows to 32
  int indices_of_block;
  std::int64_t blocks_of_panel;
  std::int64_t parts;   ///< panels of a plane
  std::int64_t panels;  ///< of all planes
  int few_of_32;        ///< rows that 32 indices of a block name, at most, where keeping their sums pays

  constexpr int rows_at_once() const { return 32 / lanes_of_row; }
};

/// Where all additions go to memory, n / rows of them wait for one another at each row, some nanoseconds
/// each; a block's own sums cost some microseconds, and something for each row that a warp works at. The
/// three figures are from what both took on an H200 (README.md).
constexpr int few_of_32(std::int64_t n, std::int64_t planes, int rows_at_once) {
  constexpr std::int64_t least_waits = 1024;
  constexpr std::int64_t rows_of_a_small_plane = 8192;
  constexpr std::int64_t most = 22;  // what 32 drawn of 37 rows name at most, two times of three
  return static_cast<int>(std::min({n / least_waits, rows_of_a_small_plane / (planes * rows_at_once), most}));
}

struct Plan {
  Shares shares;
  std::int64_t blocks;  ///< a multiple of blocks_of_panel
};

/// Blocks are as many as a GPU of so many multiprocessors runs at once, or panels: the more indices a block
/// has, the fewer additions to a row that many of them name. alignment: in bytes, that both x and source
/// have.
constexpr Plan plan_of(std::int64_t n, std::int64_t width, std::int64_t planes, int element_bytes,
                       std::int64_t alignment, int multiprocessors) {
  constexpr std::int64_t blocks_of_multiprocessor = 4;
  constexpr std::int64_t most_blocks = 1 << 20;  // beyond them blocks take another panel
  const auto quotient = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  Shares shares{};
  shares.vector = 1;
  const auto fits = [&](int vector) {
    return width % vector == 0 && alignment % (vector * element_bytes) == 0 && vector * element_bytes <= 16;
  };
  while (fits(2 * shares.vector)) shares.vector *= 2;
  const std::int64_t vectors = width / shares.vector;
  shares.lanes_of_row = 1;
  while (shares.lanes_of_row < 32 && shares.lanes_of_row < vectors) shares.lanes_of_row *= 2;
  shares.parts = quotient(vectors, 32);
  shares.panels = shares.parts * planes;
  const std::int64_t round = std::int64_t{warps_of_block} * shares.rows_at_once();
  constexpr std::int64_t most_indices = 1 << 28;  // counted in 32 bits
  const std::int64_t wanted = std::max(quotient(blocks_of_multiprocessor * multiprocessors, shares.panels),
                                       quotient(n, most_indices));
  shares.indices_of_block = static_cast<int>(quotient(quotient(n, wanted), round) * round);
  shares.blocks_of_panel = quotient(n, shares.indices_of_block);
  constexpr int least_window = 8;
  shares.window = 32;
  while (shares.window > std::max(least_window, shares.rows_at_once()) &&
         shares.window * warps_of_block > shares.indices_of_block) {
    shares.window /= 2;
  }
  shares.few_of_32 = few_of_32(n, planes, shares.rows_at_once());
  const std::int64_t panels_at_once =
      std::min(shares.panels, std::max<std::int64_t>(most_blocks / shares.blocks_of_panel, 1));
  return {shares, shares.blocks_of_panel * panels_at_once};
}

}  // namespace tally_index_add
