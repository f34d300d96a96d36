#pragma once

#include <utility>

#include "direct.cuh"
#include "overlap_save.cuh"
#include "tuned.h"

/// From a plan to launches. How a kernel is launched is the caller's: `launch(kernel, blocks, threads,
/// arguments...)`, so that this serves a stream and the CPU executor alike.
namespace tally_convolve::detail {

/// One convolution, taps not longer than the signal.
template <typename T>
struct Arrays {
  T* out;
  const T* a;
  const T* b;
  std::int64_t n;
  std::int64_t taps;

  std::int64_t outputs() const { return n + taps - 1; }
  /// Convolution does not tell signal from taps; the kernels want the shorter one as taps.
  Arrays with_fewer_taps() const { return taps > n ? Arrays{out, b, a, taps, n} : *this; }
};

template <Direct Shape, typename T, typename Launch>
void run_direct(const Arrays<T>& arrays, const Launch& launch) {
  constexpr std::int64_t tile = Shape.tile(sizeof(T));
  launch(direct<T, Shape.words, Shape.lanes, Shape.groups>, (arrays.outputs() + tile - 1) / tile,
         Shape.threads(), arrays.out, arrays.a, arrays.b, arrays.n, arrays.taps);
}

/// `spectra`: partitions · length elements.
template <typename T, typename Launch>
void run_overlap_save(const Arrays<T>& arrays, Complex<T>* spectra, const Partitioning& cut,
                      const Launch& launch) {
  const std::int64_t blocks = blocks_of(cut, arrays.outputs());
  launch(tap_spectra<T>, std::int64_t{cut.partitions}, threads_of_transform, spectra, arrays.b, arrays.taps,
         cut.taps_of_each);
  if (cut.partitions == 1) {
    launch(overlap_save<T, true>, blocks, threads_of_transform, arrays.out, arrays.a, spectra, arrays.n,
           arrays.outputs(), cut);
  } else {
    launch(overlap_save<T, false>, blocks, threads_of_transform, arrays.out, arrays.a, spectra, arrays.n,
           arrays.outputs(), cut);
  }
}

/// The table's row for so many outputs.
constexpr const Row& row_for(std::int64_t outputs) {
  const Row* row = table;
  while (outputs > row->most_outputs) ++row;
  return *row;
}

constexpr bool is_for_overlap_save(std::int64_t outputs, std::int64_t taps) {
  return taps >= row_for(outputs).overlap_save_from;
}

inline constexpr int rows_of_table = sizeof(table) / sizeof(table[0]);

/// Calls run_direct with the row's shape as a constant.
template <typename T, typename Launch, int... row>
void run_direct_by_table(const Arrays<T>& arrays, const Launch& launch, std::integer_sequence<int, row...>) {
  const Row* chosen = &row_for(arrays.outputs());
  const bool few = arrays.taps <= most_few_taps;
  ((chosen == table + row ? (few ? run_direct<table[row].few_taps>(arrays, launch)
                                 : run_direct<table[row].many_taps>(arrays, launch))
                          : void()),
   ...);
}

template <typename T, typename Launch>
void run_direct_by_table(const Arrays<T>& arrays, const Launch& launch) {
  run_direct_by_table(arrays, launch, std::make_integer_sequence<int, rows_of_table>());
}

/// `spectra`: as run_overlap_save() needs them where it is for that, else not used.
template <typename T, typename Launch>
void run_by_table(const Arrays<T>& arrays, Complex<T>* spectra, const Launch& launch) {
  if (is_for_overlap_save(arrays.outputs(), arrays.taps)) {
    run_overlap_save(arrays, spectra, partitioning_of(arrays.taps), launch);
  } else {
    run_direct_by_table(arrays, launch);
  }
}

}  // namespace tally_convolve::detail
