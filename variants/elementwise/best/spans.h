#pragma once

#include <cstdint>

/// Where the 16-byte words of arrays lie that are walked together. Plain C++: host code and tests use it
/// without CUDA.
namespace tally_elementwise {

inline constexpr int bytes_of_word = 16;
inline constexpr std::int64_t most_of_one_launch = std::int64_t{1} << 30;  // elements: 32 bits count them

/// The arrays that are read.
template <typename T, int count>
struct Inputs {
  const T* of[count];
};

/// n elements as `head` elements, then `words` words that are aligned in every array, then `tail` elements.
struct Spans {
  std::int64_t words;
  int head;  ///< fewer than the elements of a word, as is the tail
  int tail;
  bool in_words;  ///< false: the arrays differ modulo 16 bytes, so that no word is aligned in all of them
};

template <typename T, int count>
Spans spans_of(const Inputs<T, count>& inputs, const T* out, std::int64_t n) {
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  const auto first = reinterpret_cast<std::uintptr_t>(out);
  std::uintptr_t differences = 0;
  for (const T* input : inputs.of) differences |= reinterpret_cast<std::uintptr_t>(input) ^ first;
  if (differences % bytes_of_word != 0) return {0, 0, 0, false};
  const auto beyond = static_cast<std::int64_t>(first % bytes_of_word);
  const std::int64_t to_word = (bytes_of_word - beyond) % bytes_of_word / element;
  const std::int64_t head = to_word < n ? to_word : n;
  const std::int64_t words = (n - head) * element / bytes_of_word;
  const std::int64_t tail = n - head - words * bytes_of_word / element;
  return {words, static_cast<int>(head), static_cast<int>(tail), true};
}

}  // namespace tally_elementwise
