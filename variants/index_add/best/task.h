#pragma once

#include <cstdint>

/// What is to be added where. Plain C++, so that it is tested without a GPU.
namespace tally_index_add {

/// x.index_add_(dim, index, source, alpha) of arrays of any number of dimensions: what comes before dim are
/// `planes`, what comes behind it are the `width` neighbours of a row.
///
///   x: planes · rows · width elements, source: planes · n · width, index: n positions in [0, rows), all in
///   device memory; x[p][index[i]][c] += alpha · source[p][i][c]
template <typename T, typename Index, typename Alpha>
struct Task {
  T* x;
  const Index* index;
  const T* source;
  std::int64_t n;
  std::int64_t rows;
  std::int64_t width;
  std::int64_t planes;
  Alpha alpha;
};

/// The bytes that both addresses are a multiple of, at most 16.
inline std::int64_t alignment_of(const void* x, const void* source) {
  const std::uintptr_t both =
      reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(source) | std::uintptr_t{16};
  return static_cast<std::int64_t>(both & (~both + 1));
}

}  // namespace tally_index_add
