/// \file
/// Lanes of a warp run one after the other here, and together on a GPU. What they do together is found again
/// by counting: the k-th time that a lane comes to a place belongs with the k-th times of the other lanes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "harness/device/simt/types.h"

namespace tally::simt {

/// The groups of one place since the lanes of the warp last met. `Group` is what a warp does there at one
/// time.
template <typename Group>
class WarpGroups {
 public:
  bool empty() const { return used_ == 0; }
  std::uint32_t size() const { return used_; }
  Group& operator[](std::uint32_t index) { return groups_[index]; }

  /// The index of the lane's next group here; a new one is value-initialised.
  TALLY_SIMT_INLINE std::uint32_t next(unsigned lane) {
    const std::uint32_t index = times_[lane]++;
    if (index == used_) {
      ++used_;
      if (groups_.size() < used_) grow();
      groups_[index].reset();
    }
    return index;
  }

  /// How many groups no lane of `running` can still come to: all, when none of them runs on.
  std::uint32_t finished(std::uint32_t running) const {
    std::uint32_t least = used_;
    for (; running != 0; running &= running - 1) least = std::min(least, times_[std::countr_zero(running)]);
    return least;
  }

  /// Forgets the first `count` groups.
  void drop(std::uint32_t count) {
    if (count == used_) {
      times_ = {};
    } else {
      std::rotate(groups_.begin(), groups_.begin() + count, groups_.begin() + used_);
      for (std::uint32_t& times : times_) times -= std::min(times, count);
    }
    used_ -= count;
  }

 private:
  __attribute__((noinline)) void grow() { groups_.resize(std::max<std::size_t>(4, 2 * groups_.size())); }

  std::array<std::uint32_t, 32> times_{};
  std::uint32_t used_ = 0;
  std::vector<Group> groups_;
};

}  // namespace tally::simt
