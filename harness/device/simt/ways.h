/// \file
/// The ways that a warp's lanes went, found in the log of what they did: lanes that did the same, event for
/// event, are looked at together.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "harness/device/simt/event_log.h"

namespace tally::simt {

/// Lanes that did the same; each at its own addresses.
struct Way {
  std::uint32_t lanes = 0;
  std::span<Event> events;

  TALLY_SIMT_INLINE bool is_that_of(std::span<const Event> others) const {
    if (events.size() != others.size()) return false;
    if (events.size() > 16) return std::memcmp(events.data(), others.data(), events.size_bytes()) == 0;
    for (std::size_t i = 0; i < others.size(); ++i) {  // most are a few events long
      if (events[i] != others[i]) return false;
    }
    return true;
  }
};

class Ways {
 public:
  /// Finds the ways in `log`. False where a lane went on after others had run: then there are none.
  bool find(EventLog& log) {
    count_ = 0;
    std::span<const Stretch> all = log.stretches();
    if (all.back().event_count == 0) all = all.first(all.size() - 1);
    if (all.empty()) return true;
    const std::uint32_t first_count = all.front().event_count;
    std::uint32_t lanes = 0, differ = 0;
    for (const Stretch& stretch : all) {
      const std::uint32_t lane = 1u << stretch.lane;
      if ((lanes & lane) != 0) return false;
      lanes |= lane;
      differ |= stretch.event_count ^ first_count;
      of_lane_[stretch.lane] = &stretch;
    }
    // Stretches lie one after the other, so they are alike if the log is itself when moved by one of them.
    const std::span<Event> first = all.front().events();
    if (differ == 0 &&
        std::memcmp(first.data(), first.data() + first_count, (all.size() - 1) * first.size_bytes()) == 0) {
      ways_[count_++] = {lanes, first};
      return true;
    }
    for (const Stretch& stretch : all) add(1u << stretch.lane, stretch.events());
    return true;
  }
  const Way* begin() const { return ways_.data(); }
  const Way* end() const { return ways_.data() + count_; }
  std::size_t size() const { return count_; }
  /// A lane's addresses, one for each of its accesses.
  const std::uint64_t* addresses(unsigned lane) const { return of_lane_[lane]->addresses; }
  /// Whether one lane ran after the other.
  bool ran_after(unsigned lane, unsigned other) const { return of_lane_[lane] > of_lane_[other]; }

 private:
  TALLY_SIMT_INLINE void add(std::uint32_t lane, std::span<Event> events) {
    // Neighbours are most often alike.
    for (std::size_t i = count_; i-- > 0;) {
      if (!ways_[i].is_that_of(events)) continue;
      ways_[i].lanes |= lane;
      return;
    }
    ways_[count_++] = {lane, events};
  }

  std::array<Way, 32> ways_;
  std::array<const Stretch*, 32> of_lane_{};
  std::size_t count_ = 0;
};

}  // namespace tally::simt
