/// \file
/// Numbers for places in the code, in the order in which they are first met; made for one quick look-up an
/// access.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/device/simt/types.h"

namespace tally::simt {

class PlaceTable {
 public:
  PlaceTable() : slots_(1024) {}

  /// The number of `place`; a new one gets the next.
  TALLY_SIMT_INLINE std::uint32_t index_of(const void* place) {
    for (std::size_t slot = hash(place);; ++slot) {
      Slot& found = slots_[slot & (slots_.size() - 1)];
      if (found.place == place) return found.index;
      if (found.place != nullptr) continue;
      if (2 * (count_ + 1) > slots_.size()) {
        grow();
        slot = hash(place) - 1;
        continue;
      }
      found = {place, count_};
      return count_++;
    }
  }

 private:
  struct Slot {
    const void* place = nullptr;
    std::uint32_t index = 0;
  };

  static std::size_t hash(const void* place) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(place) * 0x9e3779b97f4a7c15u) >> 32);
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.place == nullptr) continue;
      std::size_t at = hash(slot.place);
      while (slots_[at & (slots_.size() - 1)].place != nullptr) ++at;
      slots_[at & (slots_.size() - 1)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t count_ = 0;
};

}  // namespace tally::simt
