#pragma once

#include "elements.cuh"
#include "host_answer.h"

/// What the kernels are made of: sums over a warp and a block, loads of words, the answer, and the two
/// instructions of programmatic launches.
namespace tally_reduce::detail {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TALLY_REDUCE_HOPPER 1
#else
#define TALLY_REDUCE_HOPPER 0  // compiled for an older GPU, the kernels trap; reduce() refuses before
#endif

inline constexpr unsigned whole_warp = 0xffffffffu;

template <typename A>
__device__ std::uint64_t bits_of(A value) {
  if constexpr (sizeof(A) == 8) {
    return *reinterpret_cast<const std::uint64_t*>(&value);
  } else {
    return *reinterpret_cast<const std::uint32_t*>(&value);
  }
}
template <typename A>
__device__ A value_of(std::uint64_t bits) {
  if constexpr (sizeof(A) == 8) {
    return *reinterpret_cast<const A*>(&bits);
  } else {
    const auto low = static_cast<std::uint32_t>(bits);
    return *reinterpret_cast<const A*>(&low);
  }
}

/// Over a warp; lane 0 has the result.
template <typename Op, typename A>
__device__ A reduce_warp(A value) {
#if TALLY_REDUCE_HOPPER
  if constexpr (std::is_same_v<A, std::int32_t>) {
    if constexpr (std::is_base_of_v<Sum, Op>) return __reduce_add_sync(whole_warp, value);
    if constexpr (std::is_same_v<Op, Min>) return __reduce_min_sync(whole_warp, value);
    if constexpr (std::is_same_v<Op, Max>) return __reduce_max_sync(whole_warp, value);
  } else
#endif
  {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      value = Op::combine(value, __shfl_down_sync(whole_warp, value, distance));
    }
    return value;
  }
}

/// Combines values[First], …, values[First + Count - 1] in a tree; Count is a power of two. By recursion, not
/// by a loop, so that the array stays in registers.
template <typename Op, int First, int Count, typename A, int Size>
__device__ A reduce_tree(const A (&values)[Size]) {
  if constexpr (Count == 1) {
    return values[First];
  } else {
    return Op::combine(reduce_tree<Op, First, Count / 2>(values),
                       reduce_tree<Op, First + Count / 2, Count / 2>(values));
  }
}

/// Over a block of `Threads`; the first warp has the result, the others something else. May be called again
/// only after a barrier. The first warp reads all the warps' results as words and adds them up in a tree of
/// registers, which takes half the time of a second round of shuffles.
template <typename Op, int Threads, typename A>
__device__ A reduce_block(A value) {
  constexpr int warps = Threads / 32;
  static_assert(Threads % 32 == 0 && warps <= 16 && (warps & (warps - 1)) == 0);
  __shared__ alignas(16) A of_warp[warps];
  // Where this warp's result goes. For the warp that reads, that is also where the results begin: a register
  // it has had since before the barrier, where the array's address would be computed behind it.
  const auto cell = static_cast<unsigned>(__cvta_generic_to_shared(of_warp + threadIdx.x / 32));
  value = reduce_warp<Op>(value);
  if constexpr (warps * sizeof(A) % 16 != 0) {
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = of_warp[0];
#pragma unroll
    for (int i = 1; i < warps; ++i) value = Op::combine(value, of_warp[i]);
    return value;
  } else {
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x < 32) {
      constexpr int of_word = 16 / static_cast<int>(sizeof(A));
      A values[warps];
#pragma unroll
      for (int i = 0; i < warps / of_word; ++i) {
        uint4 word;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                     : "r"(cell + 16 * i)
                     : "memory");
        if constexpr (sizeof(A) == 4) {
          values[4 * i] = value_of<A>(word.x);
          values[4 * i + 1] = value_of<A>(word.y);
          values[4 * i + 2] = value_of<A>(word.z);
          values[4 * i + 3] = value_of<A>(word.w);
        } else {
          values[2 * i] = value_of<A>(word.x | static_cast<std::uint64_t>(word.y) << 32);
          values[2 * i + 1] = value_of<A>(word.z | static_cast<std::uint64_t>(word.w) << 32);
        }
      }
      value = reduce_tree<Op, 0, warps>(values);
    }
    return value;
  }
}

/// Sixteen bytes, past the first-level cache: that could hold what a kernel before this one has since
/// replaced, since a programmatic launch overlaps it.
__device__ inline uint4 load_word(const uint4* address) {
  uint4 word;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(address));
  return word;
}

/// As load_word where `present` is more than Least; else `word` stays as it is.
template <int Least>
__device__ void load_word_if(uint4& word, const uint4* address, int present) {
  asm volatile(
      "{ .reg .pred there;\n\t"
      "setp.gt.s32 there, %5, %6;\n\t"
      "@there ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4 + %7]; }"
      : "+r"(word.x), "+r"(word.y), "+r"(word.z), "+r"(word.w)
      : "l"(address), "r"(present), "n"(Least), "n"(Least * 16));
}

/// Starts the loads of word[K] …, a block's width apart.
template <int Threads, int K, int Loads>
__device__ void load_words(uint4 (&word)[Loads], const uint4* from, int present) {
  if constexpr (K < Loads) {
    load_word_if<K * Threads>(word[K], from, present);
    load_words<Threads, K + 1>(word, from, present);
  }
}

/// Brings the line of that address into the L2 cache, and its page into the tables that addresses are looked
/// up in, long before it is used: else the use would wait for the memory behind them.
__device__ inline void fetch(const void* address) { asm volatile("prefetch.global.L2 [%0];" ::"l"(address)); }

/// The line that the answer will go to. The host's memory is not brought near: it is only written.
template <int Threads, typename Out>
__device__ void fetch_answer(const Out* out) {
  if (threadIdx.x == 32 % Threads) fetch(out);
}
template <int Threads, typename A>
__device__ void fetch_answer(const HostAnswer<A>*) {}

/// Waits until all that was queued before this kernel has ended and can be read. Returns at once in a launch
/// that is not programmatic.
__device__ inline void wait_for_earlier_kernels() {
#if TALLY_REDUCE_HOPPER
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Lets a programmatic launch behind this kernel become resident while this one still runs. That one waits
/// for the end of this one, and so of all before it, whether this one has itself waited yet or not.
__device__ inline void let_later_kernels_start() {
#if TALLY_REDUCE_HOPPER
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Thread 0 writes the answer: the total, divided for a mean, rounded where Out is narrower than A. The store
/// is predicated, not branched to, so that its address is at hand when the total is.
template <typename Op, typename Out, typename A>
__device__ void answer(Out* out, A total, A divisor) {
  if constexpr (Op::divides) total = total / divisor;
  if constexpr (sizeof(Out) < sizeof(A)) {
    if (threadIdx.x == 0) *out = static_cast<Out>(total);
  } else if constexpr (sizeof(A) == 8) {
    asm volatile(
        "{ .reg .pred first;\n\t"
        "setp.eq.u32 first, %2, 0;\n\t"
        "@first st.global.b64 [%0], %1; }" ::"l"(out),
        "l"(bits_of(total)), "r"(threadIdx.x)
        : "memory");
  } else {
    asm volatile(
        "{ .reg .pred first;\n\t"
        "setp.eq.u32 first, %2, 0;\n\t"
        "@first st.global.b32 [%0], %1; }" ::"l"(out),
        "r"(static_cast<unsigned>(bits_of(total))), "r"(threadIdx.x)
        : "memory");
  }
}

/// The same to the host, which may see one word before the other: each tells that it has been written.
template <typename Op, typename A>
__device__ void answer(HostAnswer<A>* out, A total, A divisor) {
  if constexpr (Op::divides) total = total / divisor;
  if (threadIdx.x != 0) return;
#pragma unroll
  for (int i = 0; i < HostAnswer<A>::count; ++i) {
    const std::uint64_t word = HostAnswer<A>::written | (bits_of(total) >> 32 * i & 0xffffffffu);
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(out->words + i), "l"(word) : "memory");
  }
}

}  // namespace tally_reduce::detail
