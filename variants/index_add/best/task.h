#pragma once

#include <cstdint>

/// What is to be added where, and how it is shared out among warps. Plain C++, so that it is tested without a
/// GPU.
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

/// The share of a warp: a window of indices and, of the rows that they name, at most 32 vectors.
struct Shares {
  int vector;          ///< elements that a lane reads and adds at once: 1, 2, 4 or 8
  int lanes_of_row;    ///< a power of two; a warp works at 32 / lanes_of_row rows at a time
  int window;          ///< indices: a power of two from 32 / lanes_of_row to 32
  std::int64_t parts;  ///< of a row, 32 vectors each
  std::int64_t windows;

  constexpr std::int64_t of_plane() const { return windows * parts; }
};

/// alignment: in bytes, that both x and source have. enough: how many warps a GPU likes to have before
/// windows grow to 32 indices. The larger the window, the fewer additions to a row that all of it names.
constexpr Shares shares_of(std::int64_t n, std::int64_t width, std::int64_t planes, int element_bytes,
                           std::int64_t alignment, std::int64_t enough) {
  Shares shares{};
  shares.vector = 1;
  const auto fits = [&](int vector) {
    return width % vector == 0 && alignment % (vector * element_bytes) == 0 && vector * element_bytes <= 16;
  };
  while (fits(2 * shares.vector)) shares.vector *= 2;
  const std::int64_t vectors = width / shares.vector;
  shares.lanes_of_row = 1;
  while (shares.lanes_of_row < 32 && shares.lanes_of_row < vectors) shares.lanes_of_row *= 2;
  shares.parts = (vectors + 31) / 32;
  constexpr int least_window = 8;
  const int rows_at_once = 32 / shares.lanes_of_row;
  shares.window = 32;
  const auto warps = [&] { return (n + shares.window - 1) / shares.window * shares.parts * planes; };
  while (shares.window > least_window && shares.window > rows_at_once && warps() < enough) shares.window /= 2;
  shares.windows = (n + shares.window - 1) / shares.window;
  return shares;
}

}  // namespace tally_index_add
