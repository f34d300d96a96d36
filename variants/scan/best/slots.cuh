#pragma once

#include "warp.cuh"

/// Where tiles meet: slots that carry their own proof of being filled, in three levels of fixed shape.
///
/// A tile's sum travels with a tag as one 16-byte access: who sees the call's tag has the call's value, with
/// no fence and nothing that must be cleared. Tag: the host draws one for each call; the storage's count of
/// calls is added, so that calls that a graph replays with the same tag are kept apart.
///
/// The tiles of a group, the groups of a section: what comes before a tile is
///   the prefix of its section + the sums of the groups before its own + the sums of the tiles before it
/// and each of the three is asked for at once. The last tile of a group makes the group's sum, the last of a
/// section the next section's prefix. So the additions and their order follow from the tile's number, not
/// from how far others have come: the answer has the same bits every time, and no tile looks further back
/// than one group of tiles and one section of groups.
namespace tally_scan::detail {

struct alignas(16) Slot {
  std::uint64_t value;
  std::uint64_t tag;
};

inline constexpr int groups_of_section = 32;

/// A grid's storage, slot for slot: the count of calls, sums of tiles, sums of groups, prefixes of sections.
struct Slots {
  Slot* calls;
  Slot* tiles;
  Slot* groups;
  Slot* sections;
};

__host__ __device__ inline std::int64_t groups_of(std::int64_t tiles, int near) {
  return tiles / (near * lanes) + 1;
}

/// Slots that `tiles` tiles need, the last of them for a counter.
inline std::int64_t count_of_slots(std::int64_t tiles, int near) {
  const std::int64_t groups = groups_of(tiles, near);
  return 1 + tiles + groups + groups / groups_of_section + 1 + 1;
}

inline Slots slots_in(Slot* memory, std::int64_t tiles, int near) {
  return {memory, memory + 1, memory + 1 + tiles, memory + 1 + tiles + groups_of(tiles, near)};
}

template <typename T>
__device__ std::uint64_t bits_of(T value) {
  if constexpr (sizeof(T) == 8) {
    return *reinterpret_cast<const std::uint64_t*>(&value);
  } else {
    return *reinterpret_cast<const std::uint32_t*>(&value);
  }
}

template <typename T>
__device__ T value_of(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8) {
    return *reinterpret_cast<const T*>(&bits);
  } else {
    const auto low = static_cast<std::uint32_t>(bits);
    return *reinterpret_cast<const T*>(&low);
  }
}

__device__ inline std::uint64_t read_calls(const Slots& slots) {
  std::uint64_t calls = 0;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(calls) : "l"(&slots.calls->value) : "memory");
  return calls;
}

/// The last tile's last act, when it has heard of every other.
__device__ inline void count_call(const Slots& slots, std::uint64_t calls) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&slots.calls->value), "l"(calls + 1) : "memory");
}

__device__ inline void write_slot(Slot* slot, std::uint64_t value, std::uint64_t tag) {
#if TALLY_SCAN_HOPPER
  asm volatile(
      "{ .reg .b128 whole;\n\t"
      "mov.b128 whole, {%1, %2};\n\t"
      "st.relaxed.gpu.global.b128 [%0], whole; }" ::"l"(slot),
      "l"(value), "l"(tag)
      : "memory");
#endif
}

__device__ inline Slot read_slot(const Slot* slot) {
  Slot read{};
#if TALLY_SCAN_HOPPER
  asm volatile(
      "{ .reg .b128 whole;\n\t"
      "ld.relaxed.gpu.global.b128 whole, [%2];\n\t"
      "mov.b128 {%0, %1}, whole; }"
      : "=l"(read.value), "=l"(read.tag)
      : "l"(slot)
      : "memory");
#endif
  return read;
}

/// In builds that look for faults (TALLY_SCAN_IMPATIENT), ends a wait that will have no end.
struct Patience {
#if defined(TALLY_SCAN_IMPATIENT)
  unsigned left = 1u << 22;
  __device__ void wait() {
    if (--left == 0) __trap();
  }
#else
  __device__ void wait() {}
#endif
};

/// Where a tile stands: which slots it reads.
template <int Near>
struct Place {
  static constexpr int tiles_of_group = Near * lanes;
  std::int64_t group;
  std::int64_t section;
  int in_group;
  int in_section;

  __device__ explicit Place(std::int64_t tile)
      : group(tile / tiles_of_group),
        section(group / groups_of_section),
        in_group(static_cast<int>(tile % tiles_of_group)),
        in_section(static_cast<int>(group % groups_of_section)) {}

  __device__ bool ends_group() const { return in_group == tiles_of_group - 1; }
  __device__ bool ends_section() const { return ends_group() && in_section == groups_of_section - 1; }

  /// The k-th sum of a tile that the calling lane adds; null if there is none.
  __device__ const Slot* near(const Slots& slots, int k) const {
    const int index = k * lanes + static_cast<int>(threadIdx.x) % lanes;
    return index < in_group ? slots.tiles + group * tiles_of_group + index : nullptr;
  }
  /// A group's sum, or for the last lane, which never has one, the section's prefix.
  __device__ const Slot* far(const Slots& slots) const {
    const int lane = static_cast<int>(threadIdx.x) % lanes;
    if (lane < in_section) return slots.groups + section * groups_of_section + lane;
    return lane == lanes - 1 && section > 0 ? slots.sections + section : nullptr;
  }
};

/// What comes before `tile`, whose own sum is `total`: called by one whole warp, every lane has the answer.
/// Tells the others what they wait for on the way. Blocks of lower index have started when this one has, so
/// every tile that is waited for is on its way.
template <int Near, typename T>
__device__ T look_back(const Slots& slots, std::uint64_t tag, std::int64_t tile, T total) {
  const Place<Near> place(tile);
  const bool speaks = threadIdx.x % lanes == 0;
  if (speaks && !place.ends_group()) write_slot(slots.tiles + tile, bits_of(total), tag);
  const Slot nothing{0, tag};
  const Slot* const far = place.far(slots);
  Slot from_far = far != nullptr ? read_slot(far) : nothing;
  Patience patience;

  Slot from_near[Near];
  std::uint64_t difference = 1;
  while (difference != 0) {
    difference = 0;
#pragma unroll
    for (int k = 0; k < Near; ++k) {
      const Slot* const near = place.near(slots, k);
      from_near[k] = near != nullptr ? read_slot(near) : nothing;
    }
#pragma unroll
    for (int k = 0; k < Near; ++k) difference |= from_near[k].tag ^ tag;
    patience.wait();
  }
  T sum = value_of<T>(from_near[0].value);
#pragma unroll
  for (int k = 1; k < Near; ++k) sum = add(sum, value_of<T>(from_near[k].value));
  __syncwarp();
  if (place.ends_group()) {
    const T of_group = add(sum_of_warp(sum), total);
    if (speaks) write_slot(slots.groups + place.group, bits_of(of_group), tag);
  }
  while (from_far.tag != tag) {
    from_far = read_slot(far);
    patience.wait();
  }
  __syncwarp();
  const T before = sum_of_warp(add(value_of<T>(from_far.value), sum));
  if (speaks && place.ends_section()) {
    write_slot(slots.sections + place.section + 1, bits_of(add(before, total)), tag);
  }
  return before;
}

/// Brings the slots that look_back() will read into the L2 cache while the tile is being loaded: else the
/// first look waits for the memory behind it. Called by the same warp.
template <int Near>
__device__ void fetch_slots(const Slots& slots, std::int64_t tile) {
  const Place<Near> place(tile);
#pragma unroll
  for (int k = 0; k < Near; ++k) {
    const Slot* const near = place.near(slots, k);
    if (near != nullptr) asm volatile("prefetch.global.L2 [%0];" ::"l"(near));
  }
  const Slot* const far = place.far(slots);
  if (far != nullptr) asm volatile("prefetch.global.L2 [%0];" ::"l"(far));
}

}  // namespace tally_scan::detail
