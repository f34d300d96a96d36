#pragma once

#include <cstdint>
#include <type_traits>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `index_add`: x.index_add_(dim, index, source, alpha), in place, of matrices. n counts the indices.
///
///   dim 0:  x is [rows, width], source is [n, width]:  x[index[i]][c] += alpha · source[i][c]
///   dim 1:  x is [width, rows], source is [width, n]:  x[c][index[i]] += alpha · source[c][i]
///
/// An index may occur any number of times; how often decides what a call costs (the knob `duplicates`).
namespace tally {

inline constexpr const char* name_of_IndexAdd = "index_add";

/// What a variant or baseline of the family is given.
template <typename T, typename IndexType>
struct IndexAdd {
  using Value = T;
  using Index = IndexType;
  T* x;                ///< rows · width elements, device memory, added to in place
  const Index* index;  ///< n positions in [0, rows), device memory
  const T* source;     ///< n · width elements, device memory
  std::int64_t n;
  std::int64_t rows;   ///< how long x is along dim
  std::int64_t width;  ///< how long x and source are along the other dimension
  std::int64_t dim;
  double alpha;  ///< exact in T

  std::int64_t elements() const { return n * width; }  ///< of the source

  /// Distance of neighbours along dim: PyTorch's stride.
  TALLY_FUNCTION std::int64_t stride() const { return dim == 0 ? width : 1; }

  /// Where the element (i, c) of the source is, and the element (row, c) of x.
  TALLY_FUNCTION std::int64_t place_in_source(std::int64_t i, std::int64_t c) const {
    return dim == 0 ? i * width + c : c * n + i;
  }
  TALLY_FUNCTION std::int64_t place_in_x(std::int64_t row, std::int64_t c) const {
    return dim == 0 ? row * width + c : c * rows + row;
  }

  static bool serves(const Problem& problem) {
    return (problem.key().text("index_type") == "int32") == std::is_same_v<Index, std::int32_t>;
  }

  static IndexAdd bind(const Problem& problem, const Buffers& buffers) {
    const ProblemKey& key = problem.key();
    const std::int64_t rows = key.integer("rows");
    return {buffers.array<T>(0),       buffers.array<const Index>(1),
            buffers.array<const T>(2), key.n,
            rows == 0 ? key.n : rows,  key.integer("width"),
            key.integer("dim"),        key.number("alpha")};
  }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfIndexAdd {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<IndexAdd<T, std::int32_t>>();
    visitor.template operator()<IndexAdd<T, std::int64_t>>();
  }
};

}  // namespace tally
