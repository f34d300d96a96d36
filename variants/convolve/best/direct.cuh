#pragma once

#include "launch.cuh"
#include "plan.h"
#include "words.cuh"

/// The direct way: a multiplication and an addition for each tap of each output. Plain CUDA C++, no
/// intrinsics.
///
/// A thread has R neighbouring outputs in registers, and the R + 1 word's worth of the signal that they meet.
/// Each step takes one 16-byte word of taps, the same for all lanes, and one new word of the signal: two
/// shared loads feed 4·R multiplications (float). R is an odd number of words: the lanes of a warp then read
/// from different banks.
namespace tally_convolve::detail {

/// Adds to `sum` the part of `steps` words of taps. Output r of the thread meets, under tap m,
/// signal[r - m] counted in elements from the word `signal` on; words before it are read, one a step.
template <typename T, int Words>
__device__ __forceinline__ void add_taps(T (&sum)[Words * width<T>], const Word<T>* signal,
                                         const Word<T>* taps, int steps) {
  // The window turns round in place: the word that a step lets go is where the next one's is loaded, so that
  // after Words + 1 steps all is as it was and no register was ever moved.
  constexpr int slots = Words + 1;
  T window[slots * width<T>];
#pragma unroll
  for (int word = 0; word < Words; ++word) unpack<T>(window + word * width<T>, signal[word]);

  const auto step = [&](int turn, int at) {
    T tap[width<T>];
    unpack<T>(tap, taps[at]);
    unpack<T>(window + (Words - turn) * width<T>, signal[-at - 1]);
#pragma unroll
    for (int m = 0; m < width<T>; ++m) {
#pragma unroll
      for (int r = 0; r < Words * width<T>; ++r) {
        constexpr int round = slots * width<T>;
        sum[r] += window[(r - m - turn * width<T> + 2 * round) % round] * tap[m];
      }
    }
  };
  int at = 0;
  for (; at + slots <= steps; at += slots) {
#pragma unroll
    for (int turn = 0; turn < slots; ++turn) step(turn, at + turn);
  }
#pragma unroll
  for (int turn = 0; turn < slots - 1; ++turn) {
    if (at + turn < steps) step(turn, at + turn);
  }
}

/// out[t] = sum of a[t - m] · b[m], Direct::tile() outputs a block. Taps come into shared memory a block of
/// them at a time, with the stretch of the signal that they meet. With several groups, each has the same
/// outputs and its own part of the taps; what they have is added in the order of the groups.
template <typename T, int Words, int Lanes, int Groups>
static __global__ void __launch_bounds__(Lanes* Groups,
                                         Direct{Words, Lanes, Groups}.blocks_of_multiprocessor())
    direct(T* out, const T* a, const T* b, std::int64_t n, std::int64_t taps) {
  constexpr Direct shape{Words, Lanes, Groups};
  wait_for_kernel_before();
  let_next_kernel_begin();
  constexpr int tile_words = Lanes * Words;
  constexpr int most_steps = shape.steps_of_block();
  constexpr int tap_words = most_steps * Groups;
  static_assert(Groups * tile_words <= tile_words + 2 * tap_words || Groups == 1,
                "the groups' sums go where signal and taps were");
  __shared__ Word<T> memory[tile_words + 2 * tap_words];
  Word<T>* const signal = memory + tap_words;  // of them, tap_words lie before the tile
  Word<T>* const tap_block = memory + tap_words + tile_words;

  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (tile_words * width<T>);
  const int group = static_cast<int>(threadIdx.x) / Lanes;
  const int lane = static_cast<int>(threadIdx.x) % Lanes;
  T sum[Words * width<T>] = {};

  // Taps that no output of this block meets with any signal are left out.
  const std::int64_t last = first + tile_words * width<T> - 1;
  const std::int64_t begin = first < n ? 0 : (first - n + 1) / width<T> * width<T>;
  const std::int64_t end = last < taps ? last + 1 : taps;
  for (std::int64_t m = begin; m < end; m += tap_words * width<T>) {
    const std::int64_t left = (end - m + width<T> - 1) / width<T>;
    const int words = left < tap_words ? static_cast<int>(left) : tap_words;
    const int steps = (words + Groups - 1) / Groups;
    const WordsInFlight<T, shape.threads(), tap_words> taps_on_their_way(b, m, steps * Groups, taps);
    const WordsInFlight<T, shape.threads(), tap_words + tile_words> signal_on_its_way(
        a, first - m - steps * Groups * width<T>, steps * Groups + tile_words, n);
    if (m != begin) __syncthreads();
    taps_on_their_way.put(tap_block);
    signal_on_its_way.put(signal - steps * Groups);
    __syncthreads();
    add_taps<T, Words>(sum, signal + lane * Words - group * steps, tap_block + group * steps, steps);
  }

  // Through shared memory, so that neighbouring lanes store neighbouring words.
  __syncthreads();
#pragma unroll
  for (int word = 0; word < Words; ++word) {
    memory[group * tile_words + lane * Words + word] = pack<T>(sum + word * width<T>);
  }
  __syncthreads();
  for (int word = static_cast<int>(threadIdx.x); word < tile_words; word += shape.threads()) {
    T total[width<T>];
    unpack<T>(total, memory[word]);
#pragma unroll
    for (int other = 1; other < Groups; ++other) {
      T part[width<T>];
      unpack<T>(part, memory[other * tile_words + word]);
#pragma unroll
      for (int k = 0; k < width<T>; ++k) total[k] += part[k];
    }
    store_word<T>(out, first + std::int64_t{word} * width<T>, total, n + taps - 1);
  }
}

}  // namespace tally_convolve::detail
