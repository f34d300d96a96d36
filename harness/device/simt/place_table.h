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
  static constexpr std::uint32_t none = ~0u;

  PlaceTable() : slots_(1024), mask_(slots_.size() - 1) {}

  /// The number of `place`, or `none` if it has none yet.
  TALLY_SIMT_INLINE std::uint32_t find(const void* place) const {
    for (std::size_t slot = hash(place);; ++slot) {
      const Slot& found = slots_[slot & mask_];
      if (found.place == place) [[likely]]
        return found.index;
      if (found.place == nullptr) return none;
    }
  }
  /// Gives a new place the next number.
  std::uint32_t add(const void* place) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    insert({place, count_});
    return count_++;
  }

 private:
  struct Slot {
    const void* place = nullptr;
    std::uint32_t index = 0;
  };

  static std::size_t hash(const void* place) {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(place) * 0x9e3779b97f4a7c15u) >> 32);
  }
  void insert(const Slot& slot) {
    std::size_t at = hash(slot.place);
    while (slots_[at & mask_].place != nullptr) ++at;
    slots_[at & mask_] = slot;
  }
  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.place != nullptr) insert(slot);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::uint32_t count_ = 0;
};

}  // namespace tally::simt
