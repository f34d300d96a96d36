#pragma once

#include "division.h"
#include "tuned.h"

/// How images are cut into pieces, and which kernel gets them. Plain C++, so that it is tested without a GPU.
namespace tally_upsample {

/// The images of one call. All n·c images of h rows are one stack of rows: row r of the small stack belongs
/// to rows 2r and 2r + 1 of the large one.
struct Images {
  std::int64_t rows;   ///< n·c·h
  std::int64_t width;  ///< elements of a small row
  int element_bytes;

  constexpr std::int64_t bytes_of_small_row() const { return width * element_bytes; }
};

/// The bytes of a piece of the small images: the largest power of two up to `most` that divides a row and
/// where the small rows begin. The large images have pieces of twice as many bytes; `in_one` says whether
/// where they begin allows that these are moved by one access.
struct PieceShape {
  int bytes;
  bool in_one;

  constexpr bool operator==(const PieceShape&) const = default;
};

inline PieceShape piece_shape(const Images& images, const void* small, const void* large, int most) {
  const auto at =
      reinterpret_cast<std::uintptr_t>(small) | static_cast<std::uintptr_t>(images.bytes_of_small_row());
  const auto large_at = reinterpret_cast<std::uintptr_t>(large);
  // A large piece of 32 bytes is two accesses of 16.
  const auto alignment_of_large = [](int bytes) {
    return bytes < 16 ? 2u * static_cast<unsigned>(bytes) : 16u;
  };
  for (int bytes = most; bytes > images.element_bytes; bytes /= 2) {
    if (at % static_cast<unsigned>(bytes) == 0 && large_at % alignment_of_large(bytes) == 0) {
      return {bytes, true};
    }
  }
  return {images.element_bytes, large_at % alignment_of_large(images.element_bytes) == 0};
}

inline constexpr std::int64_t most_pieces = std::int64_t{1} << 30;  // of a launch: 32 bits count all of it

/// An element of the small stack. Its column is 0 but in rows too long for one launch.
struct Place {
  std::int64_t row = 0;
  std::int64_t column = 0;
};

/// What one launch does: `pieces` pieces of the small images, a whole number of rows or a part of one.
struct Part {
  std::int64_t small;  ///< its first element of the small images
  std::int64_t large;  ///< the first of the large ones
  std::uint32_t pieces;
  std::uint32_t pieces_of_row;
  Place behind;  ///< where the next part begins
};

constexpr Part part_at(const Images& images, const Place& place, int piece_bytes) {
  const std::int64_t elements = piece_bytes / images.element_bytes;
  const std::int64_t of_row = images.width / elements;
  Part part{};
  part.small = place.row * images.width + place.column;
  part.large = place.row * 4 * images.width + 2 * place.column;
  part.behind = place;
  if (of_row > most_pieces) {
    const std::int64_t left = of_row - place.column / elements;
    part.pieces = static_cast<std::uint32_t>(left < most_pieces ? left : most_pieces);
    part.pieces_of_row = part.pieces;
    part.behind.column += part.pieces * elements;
    if (part.behind.column == images.width) {
      part.behind.row += 1;
      part.behind.column = 0;
    }
  } else {
    const std::int64_t rows_at_once = most_pieces / of_row;
    const std::int64_t left = images.rows - place.row;
    const std::int64_t rows = left < rows_at_once ? left : rows_at_once;
    part.pieces = static_cast<std::uint32_t>(rows * of_row);
    part.pieces_of_row = static_cast<std::uint32_t>(of_row);
    part.behind.row += rows;
  }
  return part;
}

/// One for each tile of so many pieces.
constexpr unsigned blocks_of(const Kernel& kernel, std::int64_t pieces) {
  const std::int64_t tile = kernel.tile_pieces();
  return static_cast<unsigned>((pieces + tile - 1) / tile);
}

/// A table's kernel for so many bytes of the small images.
template <int rows>
constexpr const Kernel& kernel_for(const Row (&table)[rows], std::int64_t bytes) {
  const Row* row = table;
  while (bytes > row->most_bytes) ++row;
  return row->kernel;
}

}  // namespace tally_upsample
