#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `reduce`: out = x[0] ∘ x[1] ∘ … ∘ x[n-1] for op sum, min, max, mean. n counts elements.
///
///   Answer total = op.identity();
///   for (i = 0; i < n; ++i) total = op(total, Answer(x[i]));
///   out[0] = op.finish(total);
namespace tally {

/// What a reduction of T adds up in, and answers in: two-byte floating types in float, int8 in int32.
template <typename T>
using Accumulator =
    std::conditional_t<sizeof(T) == 2, float, std::conditional_t<sizeof(T) == 1, std::int32_t, T>>;

/// Sum and mean. A mean is a sum whose last step divides, so that a variant is compiled once for both; the
/// division by 1 of a plain sum is exact.
template <typename A>
struct Sum {
  A divisor = 1;
  static constexpr bool is_sum = true;
  TALLY_FUNCTION A identity() const { return A(0); }
  TALLY_FUNCTION A operator()(A a, A b) const {
    // Signed overflow wraps, as the type has it on every device.
    if constexpr (std::is_integral_v<A>) {
      return static_cast<A>(static_cast<std::make_unsigned_t<A>>(a) +
                            static_cast<std::make_unsigned_t<A>>(b));
    } else {
      return a + b;
    }
  }
  TALLY_FUNCTION A finish(A total) const { return total / divisor; }
};

template <typename A>
struct Min {
  static constexpr bool is_sum = false;
  TALLY_FUNCTION A identity() const {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::max();
  }
  TALLY_FUNCTION A operator()(A a, A b) const { return b < a ? b : a; }
  TALLY_FUNCTION A finish(A total) const { return total; }
};

template <typename A>
struct Max {
  static constexpr bool is_sum = false;
  TALLY_FUNCTION A identity() const {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  TALLY_FUNCTION A operator()(A a, A b) const { return a < b ? b : a; }
  TALLY_FUNCTION A finish(A total) const { return total; }
};

inline constexpr const char* name_of_Reduce = "reduce";

/// What a variant or baseline of the family is given.
template <typename T, typename Op>
struct Reduce {
  using Value = T;
  using Answer = Accumulator<T>;
  const T* x;        ///< n elements, device memory; aligned to 256 bytes unless misaligned_by says otherwise
  Answer* out;       ///< one element, device memory
  Answer* host_out;  ///< one element, host memory: for entries that answer on the host
  std::int64_t n;
  Op op;

  /// x for entries that declare destroys_input().
  T* x_in_place() const { return const_cast<T*>(x); }

  static bool serves(const Problem& problem) {
    const std::string& op = problem.key().text("op");
    if constexpr (std::is_same_v<Op, Sum<Answer>>) return op == "sum" || op == "mean";
    if constexpr (std::is_same_v<Op, Min<Answer>>) return op == "min";
    return std::is_same_v<Op, Max<Answer>> && op == "max";
  }

  static Reduce bind(const Problem& problem, const Buffers& buffers) {
    Reduce view{buffers.array<const T>(0),
                buffers.array<Answer>(1),
                static_cast<Answer*>(buffers.answer_on_host),
                problem.key().n,
                {}};
    if constexpr (Op::is_sum) {
      if (problem.key().text("op") == "mean") view.op.divisor = static_cast<Answer>(view.n);
    }
    return view;
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfReduce {
  using A = Accumulator<T>;
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<Reduce<T, Sum<A>>>();
    visitor.template operator()<Reduce<T, Min<A>>>();
    visitor.template operator()<Reduce<T, Max<A>>>();
  }
};

}  // namespace tally
