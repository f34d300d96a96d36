#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "harness/problems/inputs.h"

namespace tally {

/// Wide enough for the sum of 2^40 products of two 40-bit integers.
__extension__ using Int128 = __int128;

/// What is known of a set of terms without any rounding. The terms are integers; a common power of two stands
/// beside them, with the problem.
struct Moments {
  Int128 sum = 0;
  Int128 sum_of_magnitudes = 0;
  std::int64_t smallest = INT64_MAX;
  std::int64_t largest = INT64_MIN;

  void add(Int128 term);
  void add(const Moments& other);
};

/// Calls part(first, last) for contiguous parts of [0, count) on all cores and waits for them.
void on_all_cores(std::int64_t count, const std::function<void(std::int64_t first, std::int64_t last)>& part);

/// Adds up term(i), i in [0, count), on all cores. The term sees an index and returns an integer, of 128 bits
/// or, where all are below 2^50 in magnitude, of 64.
template <typename Term>
Moments moments_of(std::int64_t count, Term term);

/// Sum, magnitudes and extremes of an input's own integers; remembered for the last few inputs asked for,
/// since all operations and entries of a size share them.
Moments input_moments(const InputSpec& spec);

/// The same of the products of two inputs' integers, element by element; smallest and largest are those of
/// 64 bits. Remembered too.
Moments product_moments(const InputSpec& x, const InputSpec& y);

/// product_moments(spec, spec), and sooner.
Moments square_moments(const InputSpec& spec);

/// value * 2^-fraction_bits, correctly rounded to double.
double scaled(Int128 value, int fraction_bits);

/// |answer - exact| where exact = value * 2^-fraction_bits; the difference is taken before any rounding.
double distance(double answer, Int128 value, int fraction_bits);

namespace detail {
void merge_moments(std::int64_t count, const std::function<Moments(std::int64_t, std::int64_t)>& part,
                   Moments& total);
}

namespace detail {
/// Of terms that are so few, and so small, that 64 bits hold their sum: 128 take several times as long.
template <typename Term>
Moments moments_of_block(std::int64_t first, std::int64_t last, Term term) {
  std::int64_t sum = 0;
  std::int64_t magnitudes = 0;
  Moments block;
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t value = term(i);
    sum += value;
    magnitudes += value < 0 ? -value : value;
    block.smallest = std::min(block.smallest, value);
    block.largest = std::max(block.largest, value);
  }
  block.sum = sum;
  block.sum_of_magnitudes = magnitudes;
  return block;
}
}  // namespace detail

template <typename Term>
Moments moments_of(std::int64_t count, Term term) {
  Moments total;
  detail::merge_moments(
      count,
      [&term](std::int64_t first, std::int64_t last) {
        Moments part;
        if constexpr (std::is_same_v<decltype(term(first)), std::int64_t>) {
          constexpr std::int64_t block = 1 << 12;  // so many terms below 2^50 add up within 64 bits
          for (std::int64_t i = first; i < last; i += block) {
            part.add(detail::moments_of_block(i, std::min(last, i + block), term));
          }
        } else {
          for (std::int64_t i = first; i < last; ++i) part.add(term(i));
        }
        return part;
      },
      total);
  return total;
}

}  // namespace tally
