#pragma once

#include <cstdint>

/// Which slots a tile reads and writes, of how many. Plain C++, so that it is tested without a GPU.
#if defined(__CUDACC__)
#define TALLY_SCAN_EVERYWHERE __host__ __device__
#else
#define TALLY_SCAN_EVERYWHERE
#endif

namespace tally_scan::detail {

inline constexpr int lanes = 32;

/// A tile adds up the sums of the tiles before it in its own group and in the group before that, and what
/// comes before the latter: a prefix. A warp reads them, `near` slots each lane; two groups of tiles are as
/// many.
TALLY_SCAN_EVERYWHERE constexpr int tiles_of_group(int near) { return near * lanes / 2; }

/// Slots that `tiles` tiles need: the count of calls, a sum for each tile, prefixes of groups.
TALLY_SCAN_EVERYWHERE constexpr std::int64_t count_of_slots(std::int64_t tiles, int near) {
  return 1 + tiles + tiles / tiles_of_group(near) + 1;
}

template <int Near>
struct Window {
  static constexpr int of_group = tiles_of_group(Near);
  static constexpr int none = -1;
  std::int64_t tile;
  std::int64_t group;
  std::int64_t first;  ///< tile whose sum is read first

  TALLY_SCAN_EVERYWHERE constexpr explicit Window(std::int64_t of_tile)
      : tile(of_tile), group(of_tile / of_group), first(group > 0 ? (group - 1) * of_group : 0) {}

  /// The tile whose sum is in the `index`-th place of the window, 0 … 2 · of_group - 1.
  TALLY_SCAN_EVERYWHERE constexpr std::int64_t sum(int index) const {
    return first + index < tile ? first + index : none;
  }
  /// The group whose prefix is there. It is in the last place, where there is never a sum.
  TALLY_SCAN_EVERYWHERE constexpr std::int64_t prefix(int index) const {
    return index == 2 * of_group - 1 && group > 1 ? group - 1 : none;
  }
  /// The group whose prefix the tile tells, the next; none if it is not the last of its own.
  TALLY_SCAN_EVERYWHERE constexpr std::int64_t tells_prefix() const {
    return tile % of_group == of_group - 1 ? group + 1 : none;
  }
};

}  // namespace tally_scan::detail
