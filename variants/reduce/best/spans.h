#pragma once

#include <cstdint>

/// Where an array's 16-byte words lie. Plain C++: host code and tests use it without CUDA.
namespace tally_reduce {

inline constexpr int bytes_of_word = 16;

/// n elements as `head` elements, then `words` aligned 16-byte words, then `tail` elements.
struct Spans {
  const void* body;  ///< first aligned word; the head ends here. Equal to x + head, also where words is 0
  std::int64_t words;
  int head;  ///< fewer than the elements of the boundary
  int tail;  ///< fewer than the elements of a word
};

/// x may have any alignment that its element type allows. n is at least 0; x may be null when n is 0. The
/// words begin at a multiple of `boundary` bytes, itself a multiple of 16.
template <typename T>
Spans spans_of(const T* x, std::int64_t n, int boundary = bytes_of_word) {
  constexpr auto element = static_cast<std::int64_t>(sizeof(T));
  const auto beyond =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(x) % static_cast<std::uintptr_t>(boundary));
  const std::int64_t to_boundary = (boundary - beyond) % boundary / element;
  const std::int64_t head = to_boundary < n ? to_boundary : n;
  const std::int64_t words = (n - head) * element / bytes_of_word;
  const std::int64_t tail = n - head - words * bytes_of_word / element;
  return {x + head, words, static_cast<int>(head), static_cast<int>(tail)};
}

}  // namespace tally_reduce
