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

/// Launches a kernel, as often as the images need it, for pieces of the shape that rows and pointers allow.
template <typename T, bool forward, Kernel kernel>
cudaError_t launch_kernel(const Images& images, const T* in, T* out, cudaStream_t stream,
                          bool programmatic = true) {
  const PieceShape shape = piece_shape(images, forward ? in : out, forward ? out : in, kernel.most_piece);
  const KernelFunction<T> function = function_for<T, forward, ArgumentsOf<kernel>>(shape);
  cudaError_t status = cudaSuccess;
  for (Place place; place.row < images.rows && status == cudaSuccess;) {
    const Part part = part_at(images, place, shape.bytes);
    status = launch(function,
                    {blocks_of(kernel, part.pieces), static_cast<unsigned>(kernel.threads), programmatic},
                    stream, stacks_of<T, forward>(images, part, in, out));
    place = part.behind;
  }
  return status;
}

/// Launches the kernel that the table has for the images.
template <typename T, bool forward, int rows, int... row>
cudaError_t launch_chosen(const Row (&table)[rows], const Images& images, const T* in, T* out,
                          cudaStream_t stream, std::integer_sequence<int, row...>) {
  constexpr const Row* known = forward ? forward_table : backward_table;
  if (images.rows < 0 || images.width < 0) return cudaErrorInvalidValue;
  if (images.rows == 0 || images.width == 0) return cudaSuccess;
  const Kernel& chosen = kernel_for(table, images.rows * images.bytes_of_small_row());
  cudaError_t status = cudaErrorInvalidValue;
  static_cast<void>(
      ((chosen == known[row].kernel
            ? (status = launch_kernel<T, forward, known[row].kernel>(images, in, out, stream), true)
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
/// in, out: device memory of any alignment that T allows; they may not overlap. Rows that are no multiple of
///   8 bytes, and pointers that are none of 16, are moved in smaller pieces.
/// images · height · width: from 0 to 2^40. Of no elements nothing is launched, and the pointers may be null.
/// The launch is programmatic: it may become resident while the kernel before it in the stream still runs,
///   and waits there for its end. Nothing is allocated. A call can be captured in a graph.
/// Errors: cudaErrorInvalidValue for a negative extent; what the launch gives.
template <typename T>
cudaError_t upsample_nearest2x(const T* in, T* out, std::int64_t images, std::int64_t height,
                               std::int64_t width, cudaStream_t stream = nullptr) {
  if (images < 0 || height < 0) return cudaErrorInvalidValue;
  const Images stack{images * height, width, static_cast<int>(sizeof(T))};
  return detail::launch_chosen<T, true>(forward_table, stack, in, out, stream,
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
  return detail::launch_chosen<T, false>(backward_table, stack, in, out, stream,
                                         detail::indices_of(backward_table));
}

}  // namespace tally_upsample
