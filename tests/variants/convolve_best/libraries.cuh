#pragma once

#include <cufft.h>
#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/variants/on_gpu/timing.cuh"

/// What convolutions are compared with, as baselines/convolve/ has them: thrust::tabulate with a dot product
/// an output, and one long transform by cuFFT.
namespace tune {

#define TUNE_REQUIRE_CUFFT(call)                                                              \
  do {                                                                                        \
    const cufftResult status = (call);                                                        \
    if (status != CUFFT_SUCCESS) {                                                            \
      std::fprintf(stderr, "%s:%d: %s: cuFFT error %d\n", __FILE__, __LINE__, #call, status); \
      std::exit(1);                                                                           \
    }                                                                                         \
  } while (0)

template <typename T>
struct DotProduct {
  const T* a;
  const T* b;
  std::int64_t n;
  std::int64_t taps;
  __device__ T operator()(std::int64_t t) const {
    const std::int64_t first = t >= n ? t - n + 1 : 0;
    const std::int64_t last = t < taps ? t : taps - 1;
    T sum = 0;
    for (std::int64_t m = first; m <= last; ++m) sum += a[t - m] * b[m];
    return sum;
  }
};

template <typename T>
void by_thrust(T* out, const T* a, const T* b, std::int64_t n, std::int64_t taps, cudaStream_t stream) {
  thrust::tabulate(thrust::cuda::par_nosync.on(stream), out, out + n + taps - 1,
                   DotProduct<T>{a, b, n, taps});
}

template <typename Complex, typename T>
__global__ void multiply_spectra(Complex* a, const Complex* b, std::int64_t count, T scale) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Complex x = a[i];
  const Complex y = b[i];
  a[i] = {scale * (x.x * y.x - x.y * y.y), scale * (x.x * y.y + x.y * y.x)};
}

/// Plans and memory for one n and one number of taps; the call is what is timed.
template <typename T>
class ByCufft {
  static constexpr bool is_float = sizeof(T) == 4;
  using Complex = std::conditional_t<is_float, cufftComplex, cufftDoubleComplex>;

 public:
  ByCufft(std::int64_t n, std::int64_t taps, cudaStream_t stream)
      : n_(n), taps_(taps), length_(transform_length(n + taps - 1)), stream_(stream) {
    const auto bytes = static_cast<std::size_t>(length_ + 2) * sizeof(T);
    TUNE_REQUIRE(cudaMalloc(&a_, bytes));
    TUNE_REQUIRE(cudaMalloc(&b_, bytes));
    TUNE_REQUIRE(cudaMalloc(&spectrum_of_a_, bytes));
    TUNE_REQUIRE(cudaMalloc(&spectrum_of_b_, bytes));
    const auto length = static_cast<int>(length_);
    TUNE_REQUIRE_CUFFT(cufftPlan1d(&there_, length, is_float ? CUFFT_R2C : CUFFT_D2Z, 1));
    TUNE_REQUIRE_CUFFT(cufftPlan1d(&back_, length, is_float ? CUFFT_C2R : CUFFT_Z2D, 1));
    TUNE_REQUIRE_CUFFT(cufftSetStream(there_, stream));
    TUNE_REQUIRE_CUFFT(cufftSetStream(back_, stream));
  }
  ~ByCufft() {
    cufftDestroy(there_);
    cufftDestroy(back_);
    for (void* memory : {static_cast<void*>(a_), static_cast<void*>(b_), static_cast<void*>(spectrum_of_a_),
                         static_cast<void*>(spectrum_of_b_)}) {
      cudaFree(memory);
    }
  }
  ByCufft(const ByCufft&) = delete;
  ByCufft& operator=(const ByCufft&) = delete;

  void operator()(T* out, const T* a, const T* b) const {
    pad(a_, a, n_);
    pad(b_, b, taps_);
    transform(a_, spectrum_of_a_);
    transform(b_, spectrum_of_b_);
    const std::int64_t bins = length_ / 2 + 1;
    multiply_spectra<<<static_cast<unsigned>((bins + 255) / 256), 256, 0, stream_>>>(
        spectrum_of_a_, spectrum_of_b_, bins, T(1) / static_cast<T>(length_));
    if constexpr (is_float) {
      TUNE_REQUIRE_CUFFT(cufftExecC2R(back_, spectrum_of_a_, a_));
    } else {
      TUNE_REQUIRE_CUFFT(cufftExecZ2D(back_, spectrum_of_a_, a_));
    }
    TUNE_REQUIRE(cudaMemcpyAsync(out, a_, static_cast<std::size_t>(n_ + taps_ - 1) * sizeof(T),
                                 cudaMemcpyDeviceToDevice, stream_));
  }

 private:
  /// The smallest even length of at least `least` whose only prime factors are 2, 3, 5 and 7.
  static std::int64_t transform_length(std::int64_t least) {
    std::int64_t best = INT64_MAX;
    for (std::int64_t sevens = 1; sevens < 2 * least; sevens *= 7) {
      for (std::int64_t fives = sevens; fives < 2 * least; fives *= 5) {
        for (std::int64_t threes = fives; threes < 2 * least; threes *= 3) {
          std::int64_t length = 2 * threes;
          while (length < least) length *= 2;
          best = std::min(best, length);
        }
      }
    }
    return best;
  }

  void pad(T* to, const T* from, std::int64_t count) const {
    TUNE_REQUIRE(cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(T),
                                 cudaMemcpyDeviceToDevice, stream_));
    TUNE_REQUIRE(
        cudaMemsetAsync(to + count, 0, static_cast<std::size_t>(length_ - count) * sizeof(T), stream_));
  }
  void transform(T* from, Complex* to) const {
    if constexpr (is_float) {
      TUNE_REQUIRE_CUFFT(cufftExecR2C(there_, from, to));
    } else {
      TUNE_REQUIRE_CUFFT(cufftExecD2Z(there_, from, to));
    }
  }

  std::int64_t n_;
  std::int64_t taps_;
  std::int64_t length_;
  cudaStream_t stream_;
  T* a_ = nullptr;
  T* b_ = nullptr;
  Complex* spectrum_of_a_ = nullptr;
  Complex* spectrum_of_b_ = nullptr;
  cufftHandle there_ = 0;
  cufftHandle back_ = 0;
};

}  // namespace tune
