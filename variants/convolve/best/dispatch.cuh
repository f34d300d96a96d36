#pragma once

#include <span>
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

template <typename T>
constexpr std::span<const Row> rows() {
  if constexpr (sizeof(T) == 4)
    return rows_of_float;
  else
    return rows_of_double;
}
template <typename T>
constexpr std::span<const Crossover> crossovers() {
  if constexpr (sizeof(T) == 4)
    return crossovers_of_float;
  else
    return crossovers_of_double;
}

/// Index of the row for so many outputs and taps.
template <typename T>
constexpr std::size_t row_for(std::int64_t outputs, std::int64_t taps) {
  std::size_t row = 0;
  while (outputs > rows<T>()[row].most_outputs || taps > rows<T>()[row].most_taps) ++row;
  return row;
}

template <typename T>
constexpr bool is_for_overlap_save(std::int64_t outputs, std::int64_t taps) {
  std::size_t band = 0;
  while (outputs > crossovers<T>()[band].most_outputs) ++band;
  return taps >= crossovers<T>()[band].taps;
}

/// Calls run_direct with the row's shape as a constant.
template <typename T, typename Launch, std::size_t... row>
void run_direct_by_table(const Arrays<T>& arrays, const Launch& launch, std::index_sequence<row...>) {
  const std::size_t chosen = row_for<T>(arrays.outputs(), arrays.taps);
  ((chosen == row ? run_direct<rows<T>()[row].shape>(arrays, launch) : void()), ...);
}

template <typename T, typename Launch>
void run_direct_by_table(const Arrays<T>& arrays, const Launch& launch) {
  run_direct_by_table(arrays, launch, std::make_index_sequence<rows<T>().size()>());
}

/// `spectra`: as run_overlap_save() needs them where it is for that, else not used.
template <typename T, typename Launch>
void run_by_table(const Arrays<T>& arrays, Complex<T>* spectra, const Launch& launch) {
  if (is_for_overlap_save<T>(arrays.outputs(), arrays.taps)) {
    run_overlap_save(arrays, spectra, partitioning_of(arrays.taps), launch);
  } else {
    run_direct_by_table(arrays, launch);
  }
}

}  // namespace tally_convolve::detail
