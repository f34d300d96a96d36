#pragma once

#include "warp.cuh"
#include "window.h"

/// Where tiles meet: slots that carry their own proof of being filled, looked back over by windows of fixed
/// shape.
///
/// A tile's sum travels with a tag as one 16-byte access: who sees the call's tag has the call's value, with
/// no fence and nothing that must be cleared. Tag: the host draws one for each call; the storage's count of
/// calls is added, so that calls that a graph replays with the same tag are kept apart.
///
/// A tile adds up the sums of the tiles before it in its own group and in the group before that, and what
/// comes before that group: a prefix, which the last tile of the second group before its own has told. All is
/// asked for at once. The sums are one trip through the L2 cache away; the prefix takes two, but was begun a
/// whole group earlier. Since the additions and their order follow from the tile's number, not from how far
/// others have come, the answer has the same bits every time.
namespace tally_scan::detail {

struct alignas(16) Slot {
  std::uint64_t value;
  std::uint64_t tag;
};

/// A grid's storage, slot for slot: the count of calls, sums of tiles, prefixes of groups.
struct Slots {
  Slot* calls;
  Slot* tiles;
  Slot* prefixes;
};

inline Slots slots_in(Slot* memory, std::int64_t tiles) { return {memory, memory + 1, memory + 1 + tiles}; }

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

/// The k-th slot that the calling lane reads; null if there is none.
template <int Near>
__device__ const Slot* slot_to_read(const Window<Near>& window, const Slots& slots, int k) {
  const int index = k * lanes + static_cast<int>(threadIdx.x) % lanes;
  if (window.sum(index) >= 0) return slots.tiles + window.sum(index);
  return window.prefix(index) >= 0 ? slots.prefixes + window.prefix(index) : nullptr;
}

/// What comes before `tile`, whose own sum is `total`: called by one whole warp, every lane has the answer.
/// Tells the others what they wait for on the way. Blocks of lower index have started when this one has, so
/// every tile that is waited for is on its way.
template <int Near, typename T>
__device__ T look_back(const Slots& slots, std::uint64_t tag, std::int64_t tile, T total) {
  const Window<Near> window(tile);
  const bool speaks = threadIdx.x % lanes == 0;
  if (speaks) write_slot(slots.tiles + tile, bits_of(total), tag);
  const Slot* from[Near];
  Slot heard[Near];
#pragma unroll
  for (int k = 0; k < Near; ++k) {
    from[k] = slot_to_read(window, slots, k);
    heard[k] = Slot{0, from[k] != nullptr ? ~tag : tag};
  }
  Patience patience;
  bool missing = true;
  while (missing) {
#pragma unroll
    for (int k = 0; k < Near; ++k) {
      if (heard[k].tag != tag) heard[k] = read_slot(from[k]);
    }
    missing = false;
#pragma unroll
    for (int k = 0; k < Near; ++k) missing = missing || heard[k].tag != tag;
    patience.wait();
  }
  T sum = value_of<T>(heard[0].value);
#pragma unroll
  for (int k = 1; k < Near; ++k) sum = add(sum, value_of<T>(heard[k].value));
  __syncwarp();
  const T before = sum_of_warp(sum);
  if (speaks && window.tells_prefix() >= 0) {
    write_slot(slots.prefixes + window.tells_prefix(), bits_of(add(before, total)), tag);
  }
  return before;
}

/// Brings the slots that look_back() will write into the L2 cache while the tile is being loaded: else those
/// who read them first wait for the memory behind it. Called by one thread.
template <int Near>
__device__ void fetch_slots(const Slots& slots, std::int64_t tile) {
  const Window<Near> window(tile);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(slots.tiles + tile));
  if (window.tells_prefix() >= 0) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(slots.prefixes + window.tells_prefix()));
  }
}

}  // namespace tally_scan::detail
