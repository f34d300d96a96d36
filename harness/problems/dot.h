#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"
#include "harness/problems/reduce.h"  // Accumulator

/// Family `dot`: out = Σ x[i]·y[i]. n counts elements of one array.
///
///   Answer total = 0;
///   for (i = 0; i < n; ++i) total += Answer(x[i]) * Answer(y[i]);
///   out[0] = total;
///
/// The knob `accumulate` says in which type the problem asks for the answer: `wide` (float32 for half types)
/// or `own`, the elements' own. A half accumulator is judged by its own unit roundoff, and by the bound that
/// holds for every sum of so many terms: with inputs on which it stalls it is as right as such an accumulator
/// can be promised to be, and its error stands in the results.
namespace tally {

inline constexpr const char* name_of_Dot = "dot";

/// What a variant or baseline of the family is given. T is the elements' type, A the answer's.
template <typename T, typename A>
struct Dot {
  using Value = T;
  using Answer = A;
  const T* x;   ///< n elements, device memory
  const T* y;   ///< n elements, device memory
  A* out;       ///< one element, device memory
  A* host_out;  ///< one element, host memory: for entries that answer on the host
  std::int64_t n;

  static bool serves(const Problem& problem) {
    const bool own = problem.key().text("accumulate") == "own";
    return std::is_same_v<T, Accumulator<T>> || own == std::is_same_v<T, A>;
  }

  static Dot bind(const Problem& problem, const Buffers& buffers) {
    return {buffers.array<const T>(0), buffers.array<const T>(1), buffers.array<A>(2),
            static_cast<A*>(buffers.answer_on_host), problem.key().n};
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfDot {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<Dot<T, Accumulator<T>>>();
    if constexpr (!std::is_same_v<T, Accumulator<T>>) visitor.template operator()<Dot<T, T>>();
  }
};

}  // namespace tally
