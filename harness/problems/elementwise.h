#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `elementwise`: out[i] = op(x[i], …) for a function of one, two or three arrays. n counts elements.
/// Every op rounds once, so an answer is right to the last bit or wrong.
///
///   multiply      out[i] = x[i] * y[i]
///   square        out[i] = x[i] * x[i]
///   multiply_add  out[i] = x[i] * y[i] + z[i], fused
namespace tally {

struct Multiply {
  static constexpr const char* name = "multiply";
  static constexpr int inputs = 2;
  template <typename T>
  TALLY_FUNCTION T operator()(T x, T y) const {
    return x * y;
  }
};

struct Square {
  static constexpr const char* name = "square";
  static constexpr int inputs = 1;
  template <typename T>
  TALLY_FUNCTION T operator()(T x) const {
    return x * x;
  }
};

struct MultiplyAdd {
  static constexpr const char* name = "multiply_add";
  static constexpr int inputs = 3;
  template <typename T>
  TALLY_FUNCTION T operator()(T x, T y, T z) const {
    if constexpr (std::is_same_v<T, float>) {
      return fmaf(x, y, z);
    } else if constexpr (std::is_same_v<T, double>) {
      return fma(x, y, z);
    } else if constexpr (sizeof(T) == 2) {
      return __hfma(x, y, z);
    } else {
      return __hfma2(x, y, z);  // half2 and bfloat162
    }
  }
};

/// How many arrays the op of that name reads.
inline int inputs_of_elementwise(const std::string& op) {
  return op == Square::name ? Square::inputs : op == Multiply::name ? Multiply::inputs : MultiplyAdd::inputs;
}

inline constexpr const char* name_of_Elementwise = "elementwise";

/// What a variant or baseline of the family is given.
template <typename T, typename Op>
struct Elementwise {
  using Value = T;
  const T* x;  ///< n elements each, device memory; aligned to 256 bytes unless misaligned_by says otherwise
  const T* y;  ///< null where the op has no second input
  const T* z;  ///< null where the op has no third input
  T* out;      ///< n elements
  std::int64_t n;
  Op op;

  static bool serves(const Problem& problem) { return problem.key().text("op") == Op::name; }

  static Elementwise bind(const Problem& problem, const Buffers& buffers) {
    const auto input = [&](int which) {
      return which < Op::inputs ? buffers.array<const T>(static_cast<std::size_t>(which)) : nullptr;
    };
    return {input(0), input(1), input(2), buffers.array<T>(Op::inputs), problem.key().n, {}};
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfElementwise {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<Elementwise<T, Multiply>>();
    visitor.template operator()<Elementwise<T, Square>>();
    visitor.template operator()<Elementwise<T, MultiplyAdd>>();
  }
};

}  // namespace tally
