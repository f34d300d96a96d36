#pragma once

#include <concepts>

#include "best/copies.cuh"
#include "best/launch.cuh"
#include "best/plan.h"
#include "best/tiles.cuh"

/// A fast elementwise transform for Hopper GPUs (compute capability 9.0), to be copied into any program
/// together with the folder best/. Needs C++20 and CUDA's own headers, nothing else.
///
///   using namespace tally_elementwise;
///   transform(from(x, y), out, n, [] __device__(float a, float b) { return a * b; }, stream);
namespace tally_elementwise {

/// The arrays that transform() reads, in the order of op's parameters.
template <typename T, std::same_as<T>... More>
Inputs<T, 1 + sizeof...(More)> from(const T* first, const More*... more) {
  return {{first, more...}};
}

namespace detail {

/// Launches a kernel on arrays whose words are aligned; n is at most most_of_one_launch.
template <Kernel kernel, typename T, int inputs, typename Op>
cudaError_t launch_kernel(const Inputs<T, inputs>& in, T* out, std::int64_t n, Op op, cudaStream_t stream,
                          bool programmatic = true) {
  const Spans spans = spans_of(in, out, n);
  const Arrays<T, inputs> arrays = arrays_of(in, out, spans);
  const Shape shape{blocks_of(kernel, spans.words, arrays.ends != 0), static_cast<unsigned>(kernel.threads),
                    static_cast<std::size_t>(kernel.shared_bytes(inputs)), programmatic};
  if constexpr (kernel.way == Way::loads) {
    return launch(one_tile_each<T, inputs, Op, ArgumentsOf<kernel>>, shape, stream, arrays, op);
  } else {
    return launch(one_tile_copied<T, inputs, Op, ArgumentsOf<kernel>>, shape, stream, arrays, op);
  }
}

/// Launches the kernel for arrays that have no aligned words in common.
template <typename T, int inputs, typename Op>
cudaError_t launch_one_by_one(const Inputs<T, inputs>& in, T* out, std::int64_t n, Op op,
                              cudaStream_t stream) {
  const Shape shape{blocks_of_elements(n), threads_of_elements};
  return launch(elements_one_by_one<T, inputs, Op>, shape, stream, in, out, static_cast<unsigned>(n), op);
}

/// Launches `chosen`, which is in one of the table's rows. Rows with one kernel share its code.
template <typename T, int inputs, typename Op, int... row>
cudaError_t launch_chosen(const Kernel& chosen, const Inputs<T, inputs>& in, T* out, std::int64_t n, Op op,
                          cudaStream_t stream, std::integer_sequence<int, row...>) {
  cudaError_t status = cudaErrorInvalidValue;
  static_cast<void>(((chosen == table[row].kernel
                          ? (status = launch_kernel<table[row].kernel>(in, out, n, op, stream), true)
                          : false) ||
                     ...));
  return status;
}

}  // namespace detail

/// out[i] = op(in.of[0][i], in.of[1][i], …) for i from 0 to n-1, queued in `stream`.
///
/// T: any trivially copyable type of 1, 2, 4, 8 or 16 bytes. op: a function object of as many T as there are
///   inputs, callable on the device, copied to it. It is called once an element, in no order.
/// in, out: n elements each, device memory of any alignment that T allows. out may be one of the inputs, and
///   may not overlap one otherwise. Arrays that lie differently modulo 16 bytes are moved element by element.
/// n: from 0 to 2^40. Of 0 elements nothing is launched, and the pointers may be null.
/// The launch is programmatic: it may become resident while the kernel before it in the stream still runs,
///   and waits there for its end. Nothing is allocated. A call can be captured in a graph.
/// Errors: cudaErrorInvalidValue for a negative n; what the launch gives, e.g. on a GPU that is not a Hopper.
template <typename T, int inputs, typename Op>
cudaError_t transform(const Inputs<T, inputs>& in, T* out, std::int64_t n, Op op,
                      cudaStream_t stream = nullptr) {
  if (n < 0) return cudaErrorInvalidValue;
  const Kernel& kernel = kernel_for(n * static_cast<std::int64_t>(sizeof(T)) * (inputs + 1));
  const bool in_words = spans_of(in, out, n).in_words;
  cudaError_t status = cudaSuccess;
  for (std::int64_t done = 0; done < n && status == cudaSuccess; done += most_of_one_launch) {
    const std::int64_t part = n - done < most_of_one_launch ? n - done : most_of_one_launch;
    Inputs<T, inputs> rest = in;
    for (const T*& input : rest.of) input += done;
    status = in_words ? detail::launch_chosen(kernel, rest, out + done, part, op, stream,
                                              std::make_integer_sequence<int, rows_of_table>())
                      : detail::launch_one_by_one(rest, out + done, part, op, stream);
  }
  return status;
}

}  // namespace tally_elementwise
