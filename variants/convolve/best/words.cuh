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

/// target[i] = the elements of `array` from first + i · width on, for `count` words; zeros before the array's
/// beginning and behind its `size` elements. By the whole block, of `Threads` threads. `first` is a multiple
/// of the width.
template <typename T, int Threads>
__device__ __forceinline__ void load_words(Word<T>* target, const T* array, std::int64_t first, int count,
                                           std::int64_t size) {
  const bool aligned = begins_with_word(array);
  const bool inside = first >= 0 && first + std::int64_t{count} * width<T> <= size;
  if (aligned && inside) {
    const auto* words = reinterpret_cast<const Word<T>*>(array + first);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads) target[i] = words[i];
    return;
  }
  T* elements = reinterpret_cast<T*>(target);
  for (int i = static_cast<int>(threadIdx.x); i < count * width<T>; i += Threads) {
    const std::int64_t at = first + i;
    elements[i] = 0 <= at && at < size ? array[at] : T(0);
  }
}

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
