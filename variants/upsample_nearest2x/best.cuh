#pragma once

#include <utility>

#include "best/kernels.cuh"
#include "best/launch.cuh"

/// Fast nearest-neighbour upsampling by two, and its gradient, for Hopper GPUs (compute capability 9.0), to
/// be copied into any program together with the folder best/. Needs C++20 and CUDA's own headers, nothing
/// else.
///
///   tally_upsample::upsample_nearest2x(x, y, n * c, h, w, stream);           // y is [n, c, 2h, 2w]
///   tally_upsample::upsample_nearest2x_backward(dy, dx, n * c, h, w, stream);
namespace tally_upsample {
namespace detail {

/// Launches a kernel on one part.
template <typename T, bool forward, PieceShape shape, Kernel kernel>
cudaError_t launch_part(const Images& images, const Part& part, const T* in, T* out,
                        int of_each_multiprocessor, int multiprocessors, cudaStream_t stream,
                        bool programmatic) {
  const Stacks<T> stacks{in + (forward ? part.small : part.large),
                         out + (forward ? part.large : part.small),
                         part.pieces,
                         part.pieces_of_row,
                         Division::by(part.pieces_of_row),
                         2 * images.width};
  const unsigned blocks = blocks_of({any_size, kernel, of_each_multiprocessor}, part.pieces, multiprocessors);
  return launch(move_pieces<T, forward, shape.bytes, shape.in_one, ArgumentsOf<kernel>>,
                {blocks, static_cast<unsigned>(kernel.threads), 0, programmatic}, stream, stacks);
}

/// Launches a kernel on all parts.
template <typename T, bool forward, PieceShape shape, Kernel kernel>
cudaError_t launch_parts(const Images& images, const T* in, T* out, int of_each_multiprocessor,
                         int multiprocessors, cudaStream_t stream, bool programmatic) {
  cudaError_t status = cudaSuccess;
  std::int64_t row = 0;
  std::int64_t column = 0;
  while (row < images.rows && status == cudaSuccess) {
    const Part part = part_at(images, row, column, shape.bytes);
    status = launch_part<T, forward, shape, kernel>(images, part, in, out, of_each_multiprocessor,
                                                    multiprocessors, stream, programmatic);
    column += std::int64_t{part.pieces} * elements_of_piece<T, shape>;
    row += column / images.width;
    column %= images.width;
  }
  return status;
}

/// Launches a kernel for pieces of the shape that rows and pointers allow.
template <typename T, bool forward, Kernel kernel>
cudaError_t launch_kernel(const Images& images, const T* in, T* out, int of_each_multiprocessor,
                          int multiprocessors, cudaStream_t stream, bool programmatic = true) {
  const PieceShape shape = piece_shape(images, forward ? in : out, forward ? out : in, kernel.most_piece);
  const auto with = [&]<PieceShape known>() {
    return launch_parts<T, forward, known, kernel>(images, in, out, of_each_multiprocessor, multiprocessors,
                                                   stream, programmatic);
  };
  constexpr int element = static_cast<int>(sizeof(T));
  if constexpr (kernel.most_piece >= 16) {
    if (shape == PieceShape{16, true}) return with.template operator()<PieceShape{16, true}>();
  }
  if (shape == PieceShape{8, true}) return with.template operator()<PieceShape{8, true}>();
  if constexpr (element < 8) {
    if (shape == PieceShape{4, true}) return with.template operator()<PieceShape{4, true}>();
  }
  if constexpr (element < 4) {
    if (shape == PieceShape{2, true}) return with.template operator()<PieceShape{2, true}>();
  }
  return with.template operator()<PieceShape{element, false}>();
}

/// Launches the kernel of the row that the table has for the images.
template <typename T, bool forward, int rows, int... row>
cudaError_t launch_planned(const Row (&table)[rows], const Images& images, const T* in, T* out,
                           cudaStream_t stream, std::integer_sequence<int, row...>) {
  constexpr const Row* known = forward ? forward_table : backward_table;
  if (images.rows < 0 || images.width < 0) return cudaErrorInvalidValue;
  if (images.rows == 0 || images.width == 0) return cudaSuccess;
  int device = 0;
  int multiprocessors = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  const Row& chosen = row_for(table, images.rows * images.bytes_of_small_row());
  status = cudaErrorInvalidValue;
  static_cast<void>(((chosen.kernel == known[row].kernel
                          ? (status = launch_kernel<T, forward, known[row].kernel>(
                                 images, in, out, chosen.of_each_multiprocessor, multiprocessors, stream),
                             true)
                          : false) ||
                     ...));
  return status;
}

template <int rows>
constexpr auto indices_of(const Row (&)[rows]) {
  return std::make_integer_sequence<int, rows>();
}

}  // namespace detail

/// out[k][y][x] = in[k][y / 2][x / 2] for `images` images (n·c of them) of height × width elements, to images
/// of 2·height × 2·width, all contiguous; queued in `stream`.
///
/// T: float, double, __half, __nv_bfloat16 or any trivially copyable type of 2, 4 or 8 bytes.
/// in, out: device memory of any alignment that T allows; they may not overlap. Widths that are no multiple
/// of
///   8 bytes, and pointers not at multiples of 16, are moved in smaller pieces.
/// images · height · width: from 0 to 2^40. Of no elements nothing is launched, and the pointers may be null.
/// The launch is programmatic: it may become resident while the kernel before it in the stream still runs,
///   and waits there for its end. Nothing is allocated. A call can be captured in a graph.
/// Errors: cudaErrorInvalidValue for a negative extent; what the launch gives.
template <typename T>
cudaError_t upsample_nearest2x(const T* in, T* out, std::int64_t images, std::int64_t height,
                               std::int64_t width, cudaStream_t stream = nullptr) {
  if (images < 0 || height < 0) return cudaErrorInvalidValue;
  const Images stack{images * height, width, static_cast<int>(sizeof(T))};
  return detail::launch_planned<T, true>(forward_table, stack, in, out, stream,
                                         detail::indices_of(forward_table));
}

/// The gradient: out[k][y][x] = (in[k][2y][2x] + in[k][2y][2x+1]) + (in[k][2y+1][2x] + in[k][2y+1][2x+1]),
/// for `in` of 2·height × 2·width and `out` of height × width elements an image. Everything else as above. T
/// has to have an addition; types of 2 bytes are added up in float and rounded once.
template <typename T>
cudaError_t upsample_nearest2x_backward(const T* in, T* out, std::int64_t images, std::int64_t height,
                                        std::int64_t width, cudaStream_t stream = nullptr) {
  if (images < 0 || height < 0) return cudaErrorInvalidValue;
  const Images stack{images * height, width, static_cast<int>(sizeof(T))};
  return detail::launch_planned<T, false>(backward_table, stack, in, out, stream,
                                          detail::indices_of(backward_table));
}

}  // namespace tally_upsample
