#pragma once

#include <cstdint>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `convolve`: full one-dimensional convolution of a signal with taps. n counts the signal's elements.
///
///   for (t = 0; t < n + taps - 1; ++t) {
///     out[t] = 0;
///     for (m = 0; m < taps; ++m)
///       if (0 <= t - m && t - m < n) out[t] += a[t - m] * b[m];
///   }
///
/// The taps repeat with a period of 31. Every output's exact value then follows from the one 31 before it by
/// 31 multiplications, so that checking 2^24 outputs of 4096 taps costs no more than one of 31; up to 31 taps
/// all are drawn independently. A kernel that misses a tap or takes a neighbour is caught as with any taps;
/// one that is wrong by a multiple of 31 taps is not, and tiles of a power of two have no such multiple.
namespace tally {

inline constexpr const char* name_of_Convolve = "convolve";

/// What a variant or baseline of the family is given.
template <typename T>
struct Convolve {
  using Value = T;
  const T* a;   ///< n elements, device memory
  const T* b;   ///< taps elements, device memory
  T* out;       ///< n + taps - 1 elements, device memory
  T* host_out;  ///< as many, host memory: for entries that answer on the host
  std::int64_t n;
  std::int64_t taps;

  std::int64_t outputs() const { return n + taps - 1; }

  static bool serves(const Problem&) { return true; }

  static Convolve bind(const Problem& problem, const Buffers& buffers) {
    return {buffers.array<const T>(0), buffers.array<const T>(1),
            buffers.array<T>(2),       static_cast<T*>(buffers.answer_on_host),
            problem.key().n,           problem.key().integer("taps")};
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfConvolve {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<Convolve<T>>();
  }
};

}  // namespace tally
