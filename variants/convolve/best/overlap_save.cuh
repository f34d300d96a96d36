#pragma once

#include "fourier.cuh"

/// The way through Fourier transforms, tile by tile (overlap-save): what is read and written is the signal
/// and the outputs, once each but for the overlap. All transforms are within a block.
namespace tally_convolve::detail {

/// `length` elements of an array from `start` on, zeros where there is none. Indices of 32 bits within.
template <typename T>
class Stretch {
 public:
  __device__ Stretch(const T* array, std::int64_t start, std::int64_t size)
      : array_(array), start_(start), begin_(clamped(-start)), end_(clamped(size - start)) {}
  __device__ bool is_empty() const { return begin_ >= end_; }
  __device__ T operator[](int at) const { return begin_ <= at && at < end_ ? array_[start_ + at] : T(0); }

 private:
  __device__ static int clamped(std::int64_t at) {
    return at < 0 ? 0 : at > length ? length : static_cast<int>(at);
  }

  const T* array_;
  std::int64_t start_;
  int begin_;
  int end_;
};

/// The spectra of the partitions of the taps, one a block, as overlap_save() takes them.
template <typename T>
static __global__ void __launch_bounds__(threads_of_transform)
    tap_spectra(Complex<T>* spectra, const T* b, std::int64_t taps, int taps_of_each) {
  __shared__ typename Transform<T>::Cell shared[Transform<T>::cells];
  const Transform<T> transform(shared);
  const std::int64_t first = std::int64_t{blockIdx.x} * taps_of_each;
  const std::int64_t end = first + taps_of_each;
  const Stretch<T> stretch(b, first, end < taps ? end : taps);
  const auto thread = static_cast<int>(threadIdx.x);
  Complex<T> x[radix];
#pragma unroll
  for (int j = 0; j < radix; ++j) x[j] = {stretch[j * threads_of_transform + thread], T(0)};
  transform.there(x);
  constexpr T scale = T(1) / T(length);  // of the way back
  Complex<T>* const mine = spectra + std::int64_t{blockIdx.x} * length + thread;
#pragma unroll
  for (int j = 0; j < radix; ++j) mine[j * threads_of_transform] = {scale * x[j].x, scale * x[j].y};
}

/// Two tiles a block: one as the real part, the next as the imaginary part of one transform. Taps are real,
/// so the two stay apart.
template <typename T, bool one_partition>
static __global__ void __launch_bounds__(threads_of_transform, sizeof(T) == 8  ? 1
                                                               : one_partition ? 3
                                                                               : 2)
    overlap_save(T* out, const T* a, const Complex<T>* spectra, std::int64_t n, std::int64_t outputs,
                 Partitioning cut) {
  __shared__ typename Transform<T>::Cell shared[Transform<T>::cells];
  const Transform<T> transform(shared);
  const auto thread = static_cast<int>(threadIdx.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * 2 * cut.valid;
  const int overlap = length - cut.valid;

  Complex<T> sum[radix] = {};
  for (int partition = 0; partition < (one_partition ? 1 : cut.partitions); ++partition) {
    const std::int64_t start = first - overlap - std::int64_t{partition} * cut.taps_of_each;
    const Stretch<T> real(a, start, n);
    const Stretch<T> imaginary(a, start + cut.valid, n);
    if (!one_partition && real.is_empty() && imaginary.is_empty()) continue;
    Complex<T> x[radix];
#pragma unroll
    for (int j = 0; j < radix; ++j) {
      x[j] = {real[j * threads_of_transform + thread], imaginary[j * threads_of_transform + thread]};
    }
    transform.there(x);
    const Complex<T>* const taps = spectra + std::int64_t{partition} * length + thread;
#pragma unroll
    for (int j = 0; j < radix; ++j) {
      const Complex<T> product = times(x[j], taps[j * threads_of_transform]);
      sum[j] = one_partition ? product : plus(sum[j], product);
    }
  }
  transform.back(sum);

  // The first outputs of each tile are mixed with the end of its own stretch: they are another tile's.
  const std::int64_t left = outputs - first;
#pragma unroll
  for (int j = 0; j < radix; ++j) {
    const int at = j * threads_of_transform + thread - overlap;
    if (at < 0) continue;
    if (at < left) out[first + at] = sum[j].x;
    if (at + cut.valid < left) out[first + cut.valid + at] = sum[j].y;
  }
}

}  // namespace tally_convolve::detail
