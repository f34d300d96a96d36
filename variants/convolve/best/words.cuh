#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

/// 16-byte words of arrays of any alignment and any end.
namespace tally_convolve::detail {

template <typename T>
using Word = std::conditional_t<sizeof(T) == 4, float4, double2>;

/// Elements of a word.
template <typename T>
inline constexpr int width = 16 / static_cast<int>(sizeof(T));

template <typename T>
__device__ __forceinline__ void unpack(T* elements, const Word<T>& word) {
  memcpy(static_cast<void*>(elements), &word, sizeof word);
}

template <typename T>
__device__ __forceinline__ Word<T> pack(const T* elements) {
  Word<T> word;
  memcpy(static_cast<void*>(&word), elements, sizeof word);
  return word;
}

template <typename T>
__device__ __forceinline__ bool begins_with_word(const T* array) {
  return reinterpret_cast<std::uintptr_t>(array) % sizeof(Word<T>) == 0;
}

/// The elements of `array` from first + i · width on, for `count` words i, on their way into shared memory by
/// the whole block: asked for when this is made, stored by put(). Between the two a thread has all its words
/// in flight, and those of other arrays too, so that a block waits for memory once. Zeros before the array's
/// beginning and behind its `size` elements. `first` is a multiple of the width, `count` at most Most.
template <typename T, int Threads, int Most>
class WordsInFlight {
 public:
  __device__ __forceinline__ WordsInFlight(const T* array, std::int64_t first, int count, std::int64_t size)
      : array_(array),
        first_(first),
        size_(size),
        count_(count),
        are_whole_(begins_with_word(array) && first >= 0 && first + std::int64_t{count} * width<T> <= size) {
    if (!are_whole_) return;
    const Word<T>* const words = reinterpret_cast<const Word<T>*>(array + first) + threadIdx.x;
#pragma unroll
    for (int k = 0; k < of_thread; ++k) {
      if (k * Threads + static_cast<int>(threadIdx.x) < count) words_[k] = words[k * Threads];
    }
  }

  __device__ __forceinline__ void put(Word<T>* target) const {
    const int thread = static_cast<int>(threadIdx.x);
    if (are_whole_) {
#pragma unroll
      for (int k = 0; k < of_thread; ++k) {
        if (k * Threads + thread < count_) target[k * Threads + thread] = words_[k];
      }
      return;
    }
    T* const elements = reinterpret_cast<T*>(target);
    for (int i = thread; i < count_ * width<T>; i += Threads) {
      const std::int64_t at = first_ + i;
      elements[i] = 0 <= at && at < size_ ? array_[at] : T(0);
    }
  }

 private:
  static constexpr int of_thread = (Most + Threads - 1) / Threads;

  const T* array_;
  std::int64_t first_;
  std::int64_t size_;
  int count_;
  bool are_whole_;
  Word<T> words_[of_thread];
};

/// Stores a word at element `first` of an array of `size` elements, as much of it as the array has.
template <typename T>
__device__ __forceinline__ void store_word(T* array, std::int64_t first, const T* elements,
                                           std::int64_t size) {
  if (begins_with_word(array) && first + width<T> <= size) {
    *reinterpret_cast<Word<T>*>(array + first) = pack<T>(elements);
    return;
  }
#pragma unroll
  for (int k = 0; k < width<T>; ++k) {
    if (first + k < size) array[first + k] = elements[k];
  }
}

}  // namespace tally_convolve::detail
