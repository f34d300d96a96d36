#pragma once

#include "fourier.cuh"
#include "launch.cuh"

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
  wait_for_kernel_before();
  let_next_kernel_begin();
  __shared__ typename Transform<T>::Cell shared[Transform<T>::cells];
  const std::int64_t first = std::int64_t{blockIdx.x} * taps_of_each;
  const std::int64_t end = first + taps_of_each;
  const Stretch<T> stretch(b, first, end < taps ? end : taps);
  const auto thread = static_cast<int>(threadIdx.x);
  Complex<T> x[radix];
#pragma unroll
  for (int j = 0; j < radix; ++j) x[j] = {stretch[j * threads_of_transform + thread], T(0)};
  const Transform<T> transform(shared);
  transform.there(x);
  constexpr T scale = T(1) / T(length);  // of the way back
  Complex<T>* const mine = spectra + std::int64_t{blockIdx.x} * length + thread;
#pragma unroll
  for (int j = 0; j < radix; ++j) mine[j * threads_of_transform] = {scale * x[j].x, scale * x[j].y};
}

/// x[j] = a tile from `start` on as the real part and the one `valid` behind it as the imaginary part, zeros
/// where the signal is none; whether any of it is signal.
template <typename T>
__device__ __forceinline__ bool load_two_tiles(Complex<T> (&x)[radix], const T* a, std::int64_t start,
                                               int valid, std::int64_t n) {
  const auto thread = static_cast<int>(threadIdx.x);
  if (start >= 0 && start + valid + length <= n) {
    const T* const real = a + start + thread;
    const T* const imaginary = real + valid;
#pragma unroll
    for (int j = 0; j < radix; ++j) {
      x[j] = {real[j * threads_of_transform], imaginary[j * threads_of_transform]};
    }
    return true;
  }
  const Stretch<T> real(a, start, n);
  const Stretch<T> imaginary(a, start + valid, n);
#pragma unroll
  for (int j = 0; j < radix; ++j) {
    x[j] = {real[j * threads_of_transform + thread], imaginary[j * threads_of_transform + thread]};
  }
  return !(real.is_empty() && imaginary.is_empty());
}

/// The outputs of two tiles from `first` on; the first `overlap` elements of each tile are mixed with the end
/// of its own stretch, and another tile's outputs.
template <typename T>
__device__ __forceinline__ void store_two_tiles(T* out, const Complex<T> (&x)[radix], std::int64_t first,
                                                int valid, std::int64_t outputs) {
  const int from = static_cast<int>(threadIdx.x) - (length - valid);
  T* const real = out + first + from;
  T* const imaginary = real + valid;
  if (first + 2 * valid <= outputs) {
#pragma unroll
    for (int j = 0; j < radix; ++j) {
      if (from + j * threads_of_transform < 0) continue;
      real[j * threads_of_transform] = x[j].x;
      imaginary[j * threads_of_transform] = x[j].y;
    }
    return;
  }
  const std::int64_t left = outputs - first;
#pragma unroll
  for (int j = 0; j < radix; ++j) {
    const int at = from + j * threads_of_transform;
    if (at < 0) continue;
    if (at < left) real[j * threads_of_transform] = x[j].x;
    if (at + valid < left) imaginary[j * threads_of_transform] = x[j].y;
  }
}

/// Two tiles a block: one as the real part, the next as the imaginary part of one transform. Taps are real,
/// so the two stay apart. Launched programmatically, it makes the signal's spectrum while tap_spectra() runs,
/// which began after all that was queued before it had ended.
template <typename T, bool one_partition>
static __global__ void __launch_bounds__(threads_of_transform, sizeof(T) == 8  ? 1
                                                               : one_partition ? 3
                                                                               : 2)
    overlap_save(T* out, const T* a, const Complex<T>* spectra, std::int64_t n, std::int64_t outputs,
                 Partitioning cut) {
  let_next_kernel_begin();
  __shared__ typename Transform<T>::Cell shared[Transform<T>::cells];
  const std::int64_t first = std::int64_t{blockIdx.x} * 2 * cut.valid;
  const std::int64_t start = first - (length - cut.valid);
  const Complex<T>* const taps = spectra + threadIdx.x;

  if constexpr (one_partition) {
    Complex<T> x[radix];
    load_two_tiles(x, a, start, cut.valid, n);
    const Transform<T> transform(shared);
    transform.there(x);
    wait_for_kernel_before();
#pragma unroll
    for (int j = 0; j < radix; ++j) x[j] = times(x[j], taps[j * threads_of_transform]);
    transform.back(x);
    store_two_tiles(out, x, first, cut.valid, outputs);
  } else {
    const Transform<T> transform(shared);
    Complex<T> sum[radix] = {};
    for (int partition = 0; partition < cut.partitions; ++partition) {
      Complex<T> x[radix];
      if (!load_two_tiles(x, a, start - std::int64_t{partition} * cut.taps_of_each, cut.valid, n)) continue;
      transform.there(x);
      wait_for_kernel_before();
      const Complex<T>* const mine = taps + std::int64_t{partition} * length;
#pragma unroll
      for (int j = 0; j < radix; ++j) sum[j] = plus(sum[j], times(x[j], mine[j * threads_of_transform]));
    }
    transform.back(sum);
    store_two_tiles(out, sum, first, cut.valid, outputs);
  }
}

}  // namespace tally_convolve::detail
