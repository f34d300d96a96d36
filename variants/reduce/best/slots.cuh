#pragma once

#include "blocks.cuh"

/// Where the blocks of a grid meet: slots that carry their own proof of being filled.
///
/// One block's result travels to the block that combines them with a tag. Value and tag are written and read
/// as one 16-byte access, so that a reader who sees the call's tag has the call's value: no fence, no counter
/// that all increment, no second trip to the L2 cache.
///
/// The tag is the host's, drawn anew for each call, plus the storage's count of calls, which the combining
/// block moves on when it has all results. The first makes any content of the storage a valid start, since
/// memory that this call has not written does not hold 64 bits that the call has just drawn; the second keeps
/// calls apart that are replayed with the host's same tag (a CUDA graph). No call has to clear anything.
namespace tally_reduce::detail {

struct alignas(16) Slot {
  std::uint64_t value;
  std::uint64_t tag;
};

/// A grid's storage: the count of calls, then a slot for each block but the last.
struct Slots {
  Slot* first;

  __device__ std::uint64_t* calls() const { return &first->value; }
  __device__ Slot* of_block(int block) const { return first + 1 + block; }
};

/// For the threads that need it, which are few: one place of the L2 cache answers one request after another,
/// and thousands of them would be heard before the last block's.
__device__ inline std::uint64_t read_calls(const Slots& slots, bool needed) {
  std::uint64_t calls = 0;
  if (needed)
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(calls) : "l"(slots.calls()) : "memory");
  return calls;
}

/// What a block does first of all. The last one will wait for every slot and then write the answer: it has
/// all those lines brought near while the array is being read.
template <int Threads, typename Out>
__device__ void fetch_slots(const Slots& slots, const Out* out) {
  const int others = static_cast<int>(gridDim.x) - 1;
  if (static_cast<int>(blockIdx.x) != others) return;
  constexpr int slots_of_sector = 2;
#pragma unroll 1
  for (int i = slots_of_sector * static_cast<int>(threadIdx.x); i <= others; i += slots_of_sector * Threads) {
    fetch(slots.first + i);
  }
  fetch_answer<Threads>(out);
}

__device__ inline void write_slot(Slot* slot, std::uint64_t value, std::uint64_t tag) {
#if TALLY_REDUCE_HOPPER
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
#if TALLY_REDUCE_HOPPER
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

/// The calling thread's share of the slots from `first` on, combined in the order of their indices: every
/// Threads-th, up to AtOnce of them. Reads them again and again until all are filled. Which thread reads
/// which slot follows from `count` (at least 1) alone, so that the bits do too. Where there are fewer slots
/// it reads the last one once more and leaves it out: reads that depend on nothing are all on their way at
/// once.
template <typename Op, int Threads, int AtOnce, typename A>
__device__ A gather_slots(const Slots& slots, int first, int count, std::uint64_t tag) {
  A values[AtOnce];
  std::uint64_t difference = 1;
  while (difference != 0) {
    Slot slot[AtOnce];
#pragma unroll
    for (int k = 0; k < AtOnce; ++k) {
      const int index = first + static_cast<int>(threadIdx.x) + k * Threads;
      slot[k] = read_slot(slots.of_block(index < count ? index : count - 1));
    }
    difference = 0;
#pragma unroll
    for (int k = 0; k < AtOnce; ++k) {
      difference |= slot[k].tag ^ tag;
      values[k] = value_of<A>(slot[k].value);
    }
  }
#pragma unroll
  for (int k = 0; k < AtOnce; ++k) {
    if (first + static_cast<int>(threadIdx.x) + k * Threads >= count) values[k] = Op::template identity<A>();
  }
  return reduce_tree<Op, 0, AtOnce>(values);
}

/// Ends a block of a large grid, whose sum its first warp has: leaves it in the block's slot or, in the last
/// block, combines all and answers. The last block is the one that the hardware starts last: it waits for
/// blocks that have all started before it.
template <typename Op, int Threads, typename A, typename Out>
__device__ void meet_in_slots(const Slots& slots, std::uint64_t tag, A sum, Out* out, A divisor) {
  const int others = static_cast<int>(gridDim.x) - 1;
  if (static_cast<int>(blockIdx.x) != others) {
    if (threadIdx.x == 0) write_slot(slots.of_block(static_cast<int>(blockIdx.x)), bits_of(sum), tag);
    return;
  }
  if (others > 0) {
    constexpr int at_once = 4;
    if (threadIdx.x != 0) sum = Op::template identity<A>();
#pragma unroll 1
    for (int first = 0; first < others; first += at_once * Threads) {
      sum = Op::combine(sum, gather_slots<Op, Threads, at_once, A>(slots, first, others, tag));
    }
    __syncthreads();  // the block's own sum has come through the cells that are written next
    sum = reduce_block<Op, Threads>(sum);
  }
  if (threadIdx.x < 32) answer<Op>(out, sum, divisor);
}

/// The last block's last act, when every block has been heard: the next call of this storage has another tag.
__device__ inline void count_call(const Slots& slots, std::uint64_t calls) {
  if (threadIdx.x == 0) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(slots.calls()), "l"(calls + 1) : "memory");
  }
}

/// As meet_in_slots and then count_call, for a small grid, whose last block needs one warp for it: at most
/// 32 · AtOnce `others` than the last. tag: without the count of calls.
template <typename Op, int AtOnce, typename A, typename Out>
__device__ void meet_in_one_warp(const Slots& slots, std::uint64_t tag, std::uint64_t calls, int others,
                                 bool last, A sum, Out* out, A divisor) {
  if (!last) {
    if (threadIdx.x == 0) write_slot(slots.of_block(static_cast<int>(blockIdx.x)), bits_of(sum), tag + calls);
    return;
  }
  if (threadIdx.x >= 32) return;
  if (others > 0) {
    if (threadIdx.x != 0) sum = Op::template identity<A>();
    sum = Op::combine(sum, gather_slots<Op, 32, AtOnce, A>(slots, 0, others, tag + calls));
    sum = reduce_warp<Op>(sum);
  }
  answer<Op>(out, sum, divisor);
  count_call(slots, calls);
}

}  // namespace tally_reduce::detail
