#include "harness/device/simt/coalescing.h"

#include <algorithm>
#include <bit>

namespace tally::simt {
namespace {

constexpr unsigned lanes = 32, banks = 32, word_bytes = 4, sector_bytes = 32;

template <typename Visit>
void for_each_lane(std::uint32_t active, Visit visit) {
  for (; active != 0; active &= active - 1) visit(static_cast<unsigned>(std::countr_zero(active)));
}

/// A small set of the distinct words seen in each bank.
class Banks {
 public:
  void add(std::uint64_t word) {
    const unsigned bank = word % banks;
    if (((used_ >> bank) & 1) == 0) {
      used_ |= 1u << bank;
      first_[bank] = word;
      most_ = std::max(most_, 1u);
    } else if (first_[bank] != word) {
      add_further(word, bank);
    }
  }
  unsigned most() const { return most_; }

 private:
  void add_further(std::uint64_t word, unsigned bank) {
    unsigned count = 2;
    for (unsigned i = 0; i < further_count_; ++i) {
      if (further_[i] == word) return;
      count += further_[i] % banks == bank ? 1u : 0u;
    }
    further_[further_count_++] = word;
    most_ = std::max(most_, count);
  }

  std::uint32_t used_ = 0;
  unsigned most_ = 0, further_count_ = 0;
  std::array<std::uint64_t, banks> first_;
  std::array<std::uint64_t, lanes * 4> further_;
};

unsigned wavefronts_of(const WarpAccess& access, std::uint32_t group) {
  Banks words;
  for_each_lane(access.active & group, [&](unsigned lane) {
    const std::uint64_t begin = access.addresses[lane] / word_bytes;
    const std::uint64_t end = (access.addresses[lane] + access.bytes - 1) / word_bytes;
    for (std::uint64_t word = begin; word <= end; ++word) words.add(word);
  });
  return words.most();
}

/// Whether every active lane's partner at distance `distance` is inactive or at the same address.
bool pairs_agree(const WarpAccess& access, std::uint32_t within, unsigned distance) {
  bool agree = true;
  for_each_lane(access.active & within, [&](unsigned lane) {
    const unsigned partner = lane ^ distance;
    if (((access.active >> partner) & 1) != 0) agree &= access.addresses[lane] == access.addresses[partner];
  });
  return agree;
}

bool groups_merge(const WarpAccess& access, std::uint32_t within) {
  return pairs_agree(access, within, 1) || pairs_agree(access, within, 2);
}

struct Groups {
  std::array<std::uint32_t, 4> masks{};
  unsigned count = 0;
  void add(std::uint32_t mask) { masks[count++] = mask; }
};

SharedCost cost(const WarpAccess& access, const Groups& groups) {
  SharedCost total;
  unsigned least = 0;
  for (unsigned i = 0; i < groups.count; ++i) {
    if ((access.active & groups.masks[i]) == 0) continue;
    ++least;
    total.wavefronts += wavefronts_of(access, groups.masks[i]);
  }
  total.bank_conflicts = total.wavefronts - least;
  return total;
}

Groups groups_of_stores(unsigned bytes) {
  if (bytes <= 4) return {{0xffffffffu}, 1};
  if (bytes == 8) return {{0x0000ffffu, 0xffff0000u}, 2};
  return {{0x000000ffu, 0x0000ff00u, 0x00ff0000u, 0xff000000u}, 4};
}

}  // namespace

SharedCost shared_load(const WarpAccess& access) {
  if (access.bytes <= 4) return cost(access, groups_of_stores(4));
  Groups groups;
  if (access.bytes == 8) {
    if (groups_merge(access, 0xffffffffu)) {
      groups.add(0xffffffffu);
    } else {
      groups = groups_of_stores(8);
    }
  } else {
    for (const std::uint32_t half : {0x0000ffffu, 0xffff0000u}) {
      if (groups_merge(access, half)) {
        groups.add(half);
      } else {
        groups.add(half & 0x00ff00ffu);
        groups.add(half & 0xff00ff00u);
      }
    }
  }
  return cost(access, groups);
}

SharedCost shared_store(const WarpAccess& access) { return cost(access, groups_of_stores(access.bytes)); }

SharedCost shared_atomic(const WarpAccess& access) { return cost(access, groups_of_stores(access.bytes)); }

SharedCost shared_atomic_loop(const WarpAccess& access) {
  std::array<unsigned, banks> lanes_of_bank{};
  for_each_lane(access.active,
                [&](unsigned lane) { ++lanes_of_bank[access.addresses[lane] / word_bytes % banks]; });
  return {2 * *std::max_element(lanes_of_bank.begin(), lanes_of_bank.end()), 0};
}

unsigned global_sectors(const WarpAccess& access) {
  std::array<std::uint64_t, 2 * lanes> seen;
  unsigned count = 0;
  std::uint64_t highest = 0;
  const auto add = [&](std::uint64_t sector) {
    if (count > 0 && seen[count - 1] == sector) return;
    // Lanes in rising order, the usual case, need no search.
    if (count > 0 && sector <= highest && std::find(&seen[0], &seen[count], sector) != &seen[count]) return;
    seen[count++] = sector;
    highest = std::max(highest, sector);
  };
  for_each_lane(access.active, [&](unsigned lane) {
    const std::uint64_t first = access.addresses[lane] / sector_bytes;
    const std::uint64_t last = (access.addresses[lane] + access.bytes - 1) / sector_bytes;
    add(first);
    if (last != first) add(last);
  });
  return count;
}

unsigned global_atomic_sectors(const WarpAccess& access) {
  std::array<std::uint64_t, lanes> addresses;
  unsigned count = 0;
  for_each_lane(access.active, [&](unsigned lane) { addresses[count++] = access.addresses[lane]; });
  std::sort(addresses.begin(), addresses.begin() + count);
  unsigned sectors = 0;
  for (unsigned i = 0; i < count;) {
    const std::uint64_t sector = addresses[i] / sector_bytes;
    unsigned most = 0;
    while (i < count && addresses[i] / sector_bytes == sector) {
      unsigned same = 1;
      while (i + same < count && addresses[i + same] == addresses[i]) ++same;
      most = std::max(most, same);
      i += same;
    }
    sectors += most;
  }
  return sectors;
}

unsigned address_conflicts(const WarpAccess& access) {
  std::array<std::uint64_t, lanes> addresses;
  unsigned count = 0;
  for_each_lane(access.active, [&](unsigned lane) { addresses[count++] = access.addresses[lane]; });
  std::sort(addresses.begin(), addresses.begin() + count);
  const auto distinct = std::unique(addresses.begin(), addresses.begin() + count) - addresses.begin();
  return count - static_cast<unsigned>(distinct);
}

}  // namespace tally::simt
