#pragma once

#include "products.cuh"

/// A warp's share of two arrays: neighbouring words, so that where y lies otherwise than x, the missing part
/// of a lane's word of y is in the next lane's and only one more word a share has to be read.
namespace tally_dot::detail {

using tally_reduce::detail::load_word;
using tally_reduce::detail::load_word_if;
using tally_reduce::detail::load_words;

/// Words of x and y, and what is in them. Shifted: y is not at a multiple of 16 where x is.
template <bool Shifted>
struct Pointers {
  const uint4* x;
  const uint4* y;  ///< the word that holds the element beside x[0]
  int shift;       ///< at which byte of it; 0 unless Shifted

  __device__ explicit Pointers(const Pairs& pairs)
      : x(static_cast<const uint4*>(pairs.x.body)),
        y(reinterpret_cast<const uint4*>(static_cast<const char*>(pairs.y) - (Shifted ? pairs.shift : 0))),
        shift(Shifted ? pairs.shift : 0) {}
};

/// One thread's words of a share of 32 · Loads: all loads are on their way before the first is used. All
/// threads of a warp call its functions together.
template <int Loads, bool Shifted>
struct Share {
  static constexpr int words = 32 * Loads;
  uint4 x[Loads];
  uint4 y[Loads];
  uint4 behind;  ///< lane 0: the word of y behind the share

  __device__ static uint4 zeros() { return {0, 0, 0, 0}; }
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % 32; }

  /// Words `at` and on of the arrays, which have them all.
  __device__ void load(const Pointers<Shifted>& from, std::int64_t at) {
    at += lane();
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      x[k] = load_word(from.x + at + k * 32);
      y[k] = load_word(from.y + at + k * 32);
    }
    if constexpr (Shifted) {
      behind = zeros();
      load_word_if<words>(behind, from.y + at, lane() == 0 ? words + 1 : 0);
    }
  }

  /// The same where only `present` words are left: the others are zeros.
  __device__ void load(const Pointers<Shifted>& from, std::int64_t at, int present) {
    at += lane();
    present -= lane();
#pragma unroll
    for (int k = 0; k < Loads; ++k) x[k] = y[k] = zeros();
    load_words<32, 0>(x, from.x + at, present);
    // The last word's elements may end in the word of y behind it.
    const int present_of_y = Shifted ? present + 1 : present;
    load_words<32, 0>(y, from.y + at, present_of_y);
    if constexpr (Shifted) {
      behind = zeros();
      load_word_if<words>(behind, from.y + at, lane() == 0 ? present_of_y : 0);
    }
  }

  /// Adds the products of all words; of the first `present` of the share, where there may be fewer.
  template <typename T>
  __device__ void add_to(Products<T>& products, const Pointers<Shifted>& from, int present = words) const {
#pragma unroll
    for (int k = 0; k < Loads; ++k) {
      if constexpr (Shifted) {
        const uint4 next = of_next_lane(y[k], k + 1 < Loads ? y[k + 1] : behind);
        const uint4 beside = straddling(y[k], next, from.shift);
        // What lies behind y's last element may be anything, and 0 times that a NaN.
        products.take(x[k], lane() + k * 32 < present ? beside : zeros());
      } else {
        products.take(x[k], y[k]);
      }
    }
  }
};

}  // namespace tally_dot::detail
