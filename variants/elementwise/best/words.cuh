#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include "kernel.h"
#include "spans.h"

/// What the kernels are made of: accesses of words, the function applied to a word, and the two instructions
/// of programmatic launches.
namespace tally_elementwise::detail {

// Compiled for an older GPU, or by a C++ compiler that executes kernels, these are left out.
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
#define TALLY_ELEMENTWISE_HOPPER 1
#else
#define TALLY_ELEMENTWISE_HOPPER 0
#endif

/// Waits until all that was queued before this kernel has ended and can be read. Returns at once in a launch
/// that is not programmatic.
__device__ inline void wait_for_earlier_kernels() {
#if TALLY_ELEMENTWISE_HOPPER
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Lets a programmatic launch behind this kernel become resident while this one still runs; that one waits
/// for the end of this one itself.
__device__ inline void let_later_kernels_start() {
#if TALLY_ELEMENTWISE_HOPPER
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Sixteen bytes, past the first-level cache or first to be evicted. Both intrinsics are volatile: all loads
/// of a thread stay before the first use.
template <Hint hint>
__device__ uint4 load_word(const uint4* address) {
  return hint == Hint::evict_first ? __ldcs(address) : __ldcg(address);
}

template <Hint hint>
__device__ void store_word(uint4* address, const uint4& word) {
  if constexpr (hint == Hint::evict_first) {
    __stcs(address, word);
  } else {
    *address = word;
  }
}

/// op of one element of each input.
template <typename T, int inputs, typename Op, int... input>
__device__ T apply(const Op& op, const T (&elements)[inputs], std::integer_sequence<int, input...>) {
  return op(elements[input]...);
}

/// The arrays from their first whole word on, and the elements around the words: `ends` is the number of
/// those before them, and 256 times that of those behind.
template <typename T, int inputs>
struct Arrays {
  Inputs<T, inputs> in;
  T* out;
  unsigned words;
  unsigned ends;

  __device__ const uint4* word_of_input(int input, unsigned word) const {
    return reinterpret_cast<const uint4*>(in.of[input]) + word;
  }
  __device__ uint4* word_of_output(unsigned word) const { return reinterpret_cast<uint4*>(out) + word; }
};

/// The arrays of n elements that lie so; what a launch of their kernel gets.
template <typename T, int inputs>
Arrays<T, inputs> arrays_of(Inputs<T, inputs> in, T* out, const Spans& spans) {
  for (const T*& input : in.of) input += spans.head;
  return {in, out + spans.head, static_cast<unsigned>(spans.words),
          static_cast<unsigned>(spans.head | spans.tail << 8)};
}

/// The function on all elements of a word.
template <typename T, int inputs, typename Op>
__device__ uint4 apply_to_word(const Op& op, const uint4 (&words)[inputs]) {
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  static_assert(width * sizeof(T) == bytes_of_word && std::is_trivially_copyable_v<T>);
  T elements[inputs][width];
  T results[width];
#pragma unroll
  for (int j = 0; j < inputs; ++j) memcpy(static_cast<void*>(elements[j]), &words[j], bytes_of_word);
#pragma unroll
  for (int k = 0; k < width; ++k) {
    T of_place[inputs];
#pragma unroll
    for (int j = 0; j < inputs; ++j) of_place[j] = elements[j][k];
    results[k] = apply(op, of_place, std::make_integer_sequence<int, inputs>());
  }
  uint4 result;
  memcpy(&result, static_cast<const void*>(results), bytes_of_word);
  return result;
}

/// The function on one element, counted from the first word; negative before it.
template <typename T, int inputs, typename Op>
__device__ void apply_to_element(const Op& op, const Arrays<T, inputs>& arrays, std::int64_t at) {
  T of_place[inputs];
#pragma unroll
  for (int j = 0; j < inputs; ++j) of_place[j] = arrays.in.of[j][at];
  arrays.out[at] = apply(op, of_place, std::make_integer_sequence<int, inputs>());
}

/// The elements around the words, one a thread.
template <typename T, int inputs, typename Op>
__device__ void apply_to_ends(const Op& op, const Arrays<T, inputs>& arrays) {
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  const unsigned head = arrays.ends & 255u;
  const unsigned tail = arrays.ends >> 8;
  if (threadIdx.x < head) {
    apply_to_element(op, arrays, -1 - static_cast<std::int64_t>(threadIdx.x));
  } else if (threadIdx.x < head + tail) {
    apply_to_element(op, arrays, std::int64_t{arrays.words} * width + (threadIdx.x - head));
  }
}

}  // namespace tally_elementwise::detail
