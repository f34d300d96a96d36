#pragma once

#include "words.cuh"

/// The kernels that move words through registers, and the one for arrays that no words fit.
namespace tally_elementwise::detail {

/// A tile of Kernel::threads · Kernel::depth words of each array: all loads are on their way before the first
/// is used. `whole`: no word that this thread has of it is missing.
template <Kernel kernel, bool whole, typename T, int inputs, typename Op>
__device__ void move_tile(const Op& op, const Arrays<T, inputs>& arrays, unsigned first) {
  const unsigned at = first + threadIdx.x;
  uint4 word[kernel.depth][inputs];
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    if (whole || at + k * kernel.threads < arrays.words) {
#pragma unroll
      for (int j = 0; j < inputs; ++j) {
        word[k][j] = load_word<kernel.loads>(arrays.word_of_input(j, at + k * kernel.threads));
      }
    }
  }
  if constexpr (kernel.next == Next::when_loaded) let_later_kernels_start();
#pragma unroll
  for (int k = 0; k < kernel.depth; ++k) {
    if (whole || at + k * kernel.threads < arrays.words) {
      store_word<kernel.stores>(arrays.word_of_output(at + k * kernel.threads),
                                apply_to_word<T>(op, word[k]));
    }
  }
  if constexpr (kernel.next == Next::when_stored) let_later_kernels_start();
}

/// One tile a block. A block more, where there are elements around the words, has these: their way to memory
/// and back does not wait for that of words.
template <typename T, int inputs, typename Op, typename Arguments>
__global__ void __launch_bounds__(Arguments::kernel.threads) one_tile_each(Arrays<T, inputs> arrays, Op op) {
  constexpr Kernel kernel = Arguments::kernel;
  constexpr unsigned tile = kernel.threads * kernel.depth;
  const unsigned first = blockIdx.x * tile;
  if constexpr (kernel.next == Next::at_once) let_later_kernels_start();
  wait_for_earlier_kernels();
  if (kernel.depth == 1 ? first + threadIdx.x < arrays.words : first + tile <= arrays.words) [[likely]] {
    move_tile<kernel, true>(op, arrays, first);
  } else if (first >= arrays.words) {
    apply_to_ends(op, arrays);
  } else if constexpr (kernel.depth > 1) {
    move_tile<kernel, false>(op, arrays, first);
  }
}

inline constexpr int threads_of_elements = 256;
inline constexpr int elements_in_flight = 4;

inline unsigned blocks_of_elements(std::int64_t n) {
  constexpr std::int64_t tile = threads_of_elements * elements_in_flight;
  return static_cast<unsigned>((n + tile - 1) / tile);
}

/// Arrays that have no aligned words in common: several elements a thread, a block's width apart.
template <typename T, int inputs, typename Op>
__global__ void __launch_bounds__(threads_of_elements)
    elements_one_by_one(Inputs<T, inputs> in, T* out, unsigned n, Op op) {
  wait_for_earlier_kernels();
  const unsigned at = blockIdx.x * (threads_of_elements * elements_in_flight) + threadIdx.x;
  T elements[elements_in_flight][inputs];
#pragma unroll
  for (int k = 0; k < elements_in_flight; ++k) {
    if (at + k * threads_of_elements < n) {
#pragma unroll
      for (int j = 0; j < inputs; ++j) elements[k][j] = in.of[j][at + k * threads_of_elements];
    }
  }
  let_later_kernels_start();
#pragma unroll
  for (int k = 0; k < elements_in_flight; ++k) {
    if (at + k * threads_of_elements < n) {
      out[at + k * threads_of_elements] = apply(op, elements[k], std::make_integer_sequence<int, inputs>());
    }
  }
}

}  // namespace tally_elementwise::detail
