#pragma once

#include "pieces.cuh"

/// The kernels: a thread has `depth` pieces of the small images, a block's width apart, and moves all of them
/// at once.
///
/// Piece i of the small images, in row r, belongs to piece i + r · pieces_of_row of the large ones (every row
/// before it has been written twice) and to the one that lies a large row behind. Neighbouring threads have
/// neighbouring pieces of both, so that every access of a warp is one contiguous stretch.
namespace tally_upsample::detail {

/// A launch's part of the images, in elements from its first ones.
template <typename T>
struct Stacks {
  const T* from;
  T* to;
  std::uint32_t pieces;
  std::uint32_t pieces_of_row;
  Division by_row;
  std::int64_t large_row;  ///< elements
};

template <typename T, PieceShape shape>
inline constexpr int elements_of_piece = shape.bytes / static_cast<int>(sizeof(T));

/// Bytes of an access of a large piece: all of it, its half where 32 bytes are two accesses, or one element.
template <typename T, PieceShape shape>
inline constexpr int access_of_large = !shape.in_one      ? static_cast<int>(sizeof(T))
                                       : shape.bytes < 16 ? 2 * shape.bytes
                                                          : 16;

/// Where, in elements, the upper of the two large pieces of piece i lies.
template <typename T, PieceShape shape>
__device__ std::size_t upper_piece(const Stacks<T>& stacks, std::uint32_t i) {
  const std::uint32_t at = i + stacks.by_row.quotient(i) * stacks.pieces_of_row;
  return std::size_t{at} * (2 * elements_of_piece<T, shape>);
}

/// A tile of Kernel::threads · Kernel::depth pieces. `whole`: no piece that this thread has of it is missing.
template <typename T, PieceShape shape, Kernel kernel, bool whole>
__device__ void repeat_tile(const Stacks<T>& stacks, std::uint32_t first) {
  constexpr int count = elements_of_piece<T, shape>;
  const std::uint32_t at = first + threadIdx.x;
  Piece<T, count> piece[kernel.depth];
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    const std::uint32_t i = at + k * kernel.threads;
    if (whole || i < stacks.pieces) {
      load_piece<shape.bytes, kernel.loads>(piece[k], stacks.from + std::size_t{i} * count);
    }
  }
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    const std::uint32_t i = at + k * kernel.threads;
    if (whole || i < stacks.pieces) {
      T* upper = stacks.to + upper_piece<T, shape>(stacks, i);
      const Piece<T, 2 * count> twice = doubled(piece[k]);
      store_piece<access_of_large<T, shape>, kernel.stores>(upper, twice);
      store_piece<access_of_large<T, shape>, kernel.stores>(upper + stacks.large_row, twice);
    }
  }
}

template <typename T, PieceShape shape, Kernel kernel, bool whole>
__device__ void sum_tile(const Stacks<T>& stacks, std::uint32_t first) {
  constexpr int count = elements_of_piece<T, shape>;
  const std::uint32_t at = first + threadIdx.x;
  Piece<T, 2 * count> upper[kernel.depth];
  Piece<T, 2 * count> lower[kernel.depth];
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    const std::uint32_t i = at + k * kernel.threads;
    if (whole || i < stacks.pieces) {
      const T* from = stacks.from + upper_piece<T, shape>(stacks, i);
      load_piece<access_of_large<T, shape>, kernel.loads>(upper[k], from);
      load_piece<access_of_large<T, shape>, kernel.loads>(lower[k], from + stacks.large_row);
    }
  }
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    const std::uint32_t i = at + k * kernel.threads;
    if (whole || i < stacks.pieces) {
      store_piece<shape.bytes, kernel.stores>(stacks.to + std::size_t{i} * count,
                                              sums_of_squares(upper[k], lower[k]));
    }
  }
}

template <typename T, bool forward, PieceShape shape, Kernel kernel>
__device__ void move_tile(const Stacks<T>& stacks, std::uint32_t first) {
  constexpr std::uint32_t tile = kernel.threads * kernel.depth;
  constexpr bool several = kernel.depth > 1;
  const bool whole = several ? first + tile <= stacks.pieces : first + threadIdx.x < stacks.pieces;
  if constexpr (forward) {
    if (whole) {
      repeat_tile<T, shape, kernel, true>(stacks, first);
    } else if constexpr (several) {
      repeat_tile<T, shape, kernel, false>(stacks, first);
    }
  } else {
    if (whole) {
      sum_tile<T, shape, kernel, true>(stacks, first);
    } else if constexpr (several) {
      sum_tile<T, shape, kernel, false>(stacks, first);
    }
  }
}

/// Forward or backward, one tile a block.
template <typename T, bool forward, int piece_bytes, bool in_one, typename Arguments>
__global__ void __launch_bounds__(Arguments::kernel.threads) move_pieces(Stacks<T> stacks) {
  constexpr PieceShape shape{piece_bytes, in_one};
  constexpr Kernel kernel = Arguments::kernel;
  constexpr std::uint32_t tile = kernel.threads * kernel.depth;
  let_later_kernels_start();
  wait_for_earlier_kernels();
  move_tile<T, forward, shape, kernel>(stacks, blockIdx.x * tile);
}

template <typename T>
using KernelFunction = void (*)(Stacks<T>);

/// The function for pieces of that shape, which piece_shape() found for Arguments::kernel.
template <typename T, bool forward, typename Arguments>
KernelFunction<T> function_for(const PieceShape& shape) {
  constexpr int element = static_cast<int>(sizeof(T));
  constexpr int most = Arguments::kernel.most_piece;
  if constexpr (most >= 16) {
    if (shape == PieceShape{16, true}) return move_pieces<T, forward, 16, true, Arguments>;
  }
  if constexpr (most >= 8 || element == 8) {
    if (shape == PieceShape{8, true}) return move_pieces<T, forward, 8, true, Arguments>;
  }
  if constexpr (most >= 4 && element <= 4) {
    if (shape == PieceShape{4, true}) return move_pieces<T, forward, 4, true, Arguments>;
  }
  if constexpr (element <= 2) {
    if (shape == PieceShape{2, true}) return move_pieces<T, forward, 2, true, Arguments>;
  }
  return move_pieces<T, forward, element, false, Arguments>;
}

/// What a launch on that part of the images gets. `in` and `out` are the first elements of all.
template <typename T, bool forward>
Stacks<T> stacks_of(const Images& images, const Part& part, const T* in, T* out) {
  return {in + (forward ? part.small : part.large),
          out + (forward ? part.large : part.small),
          part.pieces,
          part.pieces_of_row,
          Division::by(part.pieces_of_row),
          2 * images.width};
}

}  // namespace tally_upsample::detail
