/// Convolution by cuFFT: one long transform of the signal and one of the taps, both padded with zeros, their
/// product, and back. The plans are made before the clock starts; padding and copying are part of the call.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/check.h"
#include "harness/problems/convolve.h"

#if defined(__CUDACC__)
#include <cufft.h>

#include <memory>
#endif

namespace tally {
namespace {

/// The smallest even length of at least `least` whose only prime factors are 2, 3, 5 and 7.
std::int64_t transform_length(std::int64_t least) {
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

std::int64_t transform_length_of(const ProblemKey& key) {
  return transform_length(key.n + key.integer("taps") - 1);
}

#if defined(__CUDACC__)
void require_cufft(cufftResult status, const char* call) {
  if (status != CUFFT_SUCCESS)
    throw DeviceError(std::string(call) + ": cuFFT error " + std::to_string(status));
}

class Plan {
 public:
  Plan(std::int64_t length, cufftType type) {
    require_cufft(cufftPlan1d(&plan_, static_cast<int>(length), type, 1), "cufftPlan1d");
  }
  ~Plan() { cufftDestroy(plan_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  cufftHandle on(cudaStream_t stream) const {
    require_cufft(cufftSetStream(plan_, stream), "cufftSetStream");
    return plan_;
  }

 private:
  cufftHandle plan_ = 0;
};

/// cuFFT's two precisions by one name.
template <typename T>
struct Precision;
template <>
struct Precision<float> {
  using Complex = cufftComplex;
  static constexpr cufftType forward = CUFFT_R2C;
  static constexpr cufftType backward = CUFFT_C2R;
  static cufftResult transform(cufftHandle plan, float* in, Complex* out) {
    return cufftExecR2C(plan, in, out);
  }
  static cufftResult transform(cufftHandle plan, Complex* in, float* out) {
    return cufftExecC2R(plan, in, out);
  }
};
template <>
struct Precision<double> {
  using Complex = cufftDoubleComplex;
  static constexpr cufftType forward = CUFFT_D2Z;
  static constexpr cufftType backward = CUFFT_Z2D;
  static cufftResult transform(cufftHandle plan, double* in, Complex* out) {
    return cufftExecD2Z(plan, in, out);
  }
  static cufftResult transform(cufftHandle plan, Complex* in, double* out) {
    return cufftExecZ2D(plan, in, out);
  }
};

/// a[i] = a[i] · b[i] · scale, complex.
template <typename Complex, typename T>
__global__ void multiply_spectra(Complex* a, const Complex* b, std::int64_t count, T scale) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Complex x = a[i];
  const Complex y = b[i];
  a[i] = {scale * (x.x * y.x - x.y * y.y), scale * (x.x * y.y + x.y * y.x)};
}
#endif

TALLY_BASELINE(Convolve, cufft, fourier)
    .lesson("Transforms cost n·log(n) whatever the taps: slow for a few of them, and cheap for thousands. The "
            "error spreads over all outputs.")
    .source("cuFFT")
    .types<float, double>()
    .needs("needs n + taps of less than 2^30",
           [](const ProblemKey& key, const Tuning&) { return transform_length_of(key) < (std::int64_t{1} << 30); })
    .additions([](const ProblemKey& key, const Tuning&) {
      return spread_over_all(4 * std::log2(static_cast<double>(transform_length_of(key))));
    })
    .not_on(DeviceKind::simt, "cuFFT needs CUDA")
    .not_on(DeviceKind::host, "cuFFT needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Convolve<T> p, const Tuning&, Scratch& scratch) {
      using Complex = typename Precision<T>::Complex;
      const std::int64_t length = transform_length(p.outputs());
      const std::int64_t bins = length / 2 + 1;
      T* a = scratch.array<T>(length);
      T* b = scratch.array<T>(length);
      Complex* spectrum_of_a = scratch.array<Complex>(bins);
      Complex* spectrum_of_b = scratch.array<Complex>(bins);
      const auto forward = std::make_shared<Plan>(length, Precision<T>::forward);
      const auto backward = std::make_shared<Plan>(length, Precision<T>::backward);
      const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(T); };
      return [=](Queue& q) {
        q.copy(a, p.a, bytes(p.n));
        q.memset(a + p.n, 0, bytes(length - p.n));
        q.copy(b, p.b, bytes(p.taps));
        q.memset(b + p.taps, 0, bytes(length - p.taps));
        const cufftHandle there = forward->on(q.stream());
        require_cufft(Precision<T>::transform(there, a, spectrum_of_a), "forward transform of the signal");
        require_cufft(Precision<T>::transform(there, b, spectrum_of_b), "forward transform of the taps");
        constexpr std::int64_t threads = 256;
        q.launch(multiply_spectra<Complex, T>, {(bins + threads - 1) / threads, threads}, spectrum_of_a,
                 spectrum_of_b, bins, T(1) / static_cast<T>(length));
        require_cufft(Precision<T>::transform(backward->on(q.stream()), spectrum_of_a, a), "backward transform");
        q.copy(p.out, a, bytes(p.outputs()));
      };
    }));

}  // namespace
}  // namespace tally
