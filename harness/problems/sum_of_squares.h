#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `sum_of_squares`: out = x[0]² + x[1]² + … + x[n-1]². n counts elements. int32 adds up modulo 2^32.
///
///   T total = 0;
///   for (i = 0; i < n; ++i) total = added(total, squared(x[i]));
///   out[0] = total;
namespace tally {

/// a + b; signed integers wrap, as they do on the device.
template <typename T>
TALLY_FUNCTION T added(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(a) + static_cast<Bits>(b));
  } else {
    return a + b;
  }
}

/// value²; signed integers wrap, as they do on the device.
template <typename T>
TALLY_FUNCTION T squared(T value) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(value) * static_cast<Bits>(value));
  } else {
    return value * value;
  }
}

inline constexpr const char* name_of_SumOfSquares = "sum_of_squares";

/// What a variant or baseline of the family is given.
template <typename T>
struct SumOfSquares {
  using Value = T;
  using Answer = T;
  const T* x;   ///< n elements, device memory
  T* out;       ///< one element, device memory
  T* host_out;  ///< one element, host memory: for entries that answer on the host
  std::int64_t n;

  static bool serves(const Problem&) { return true; }

  static SumOfSquares bind(const Problem& problem, const Buffers& buffers) {
    return {buffers.array<const T>(0), buffers.array<T>(1), static_cast<T*>(buffers.answer_on_host),
            problem.key().n};
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfSumOfSquares {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<SumOfSquares<T>>();
  }
};

}  // namespace tally
