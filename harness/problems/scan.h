#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `scan`: prefix sums. n counts elements.
///
///   T sum = 0;
///   for (i = 0; i < n; ++i) {
///     inclusive:  sum += x[i]; out[i] = sum;
///     exclusive:  out[i] = sum; sum += x[i];
///   }
namespace tally {

inline constexpr const char* name_of_Scan = "scan";

/// Addition that wraps in integers, as every device has it.
template <typename T>
struct WrappingPlus {
  TALLY_FUNCTION T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) +
                            static_cast<std::make_unsigned_t<T>>(b));
    } else {
      return a + b;
    }
  }
};

/// What a variant or baseline of the family is given.
template <typename T>
struct Scan {
  using Value = T;
  const T* x;  ///< n elements, device memory
  T* out;      ///< n elements, device memory
  std::int64_t n;
  bool inclusive;

  static bool serves(const Problem&) { return true; }

  static Scan bind(const Problem& problem, const Buffers& buffers) {
    return {buffers.array<const T>(0), buffers.array<T>(1), problem.key().n,
            problem.key().text("kind") == "inclusive"};
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfScan {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<Scan<T>>();
  }
};

}  // namespace tally
