#pragma once

#include "../../reduce/best/spans.h"

/// Where the 16-byte words of two arrays lie that are read together. Plain C++: host code and tests use it
/// without CUDA.
namespace tally_dot {

using tally_reduce::bytes_of_word;
using tally_reduce::Spans;

/// x in spans, and y's elements beside them. Where the two arrays lie differently within 16 bytes, the
/// elements that belong to a word of x straddle two of y.
struct Pairs {
  Spans x;
  const void* y;  ///< the element beside x.body
  int shift;      ///< bytes by which y lies beyond the last multiple of 16; a multiple of the element's size
};

/// x and y may have any alignment that their element type allows; else as spans_of.
template <typename T>
Pairs pairs_of(const T* x, const T* y, std::int64_t n, int boundary = bytes_of_word) {
  const Spans spans = tally_reduce::spans_of(x, n, boundary);
  const T* beside = y + spans.head;
  return {spans, beside, static_cast<int>(reinterpret_cast<std::uintptr_t>(beside) % bytes_of_word)};
}

}  // namespace tally_dot
