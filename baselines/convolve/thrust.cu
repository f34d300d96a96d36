/// Convolution by Thrust alone: tabulate with a dot product an output, and transform_reduce an output.
#include <algorithm>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/convolve.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>
#include <thrust/transform_reduce.h>
#endif

namespace tally {
namespace {

double a_tap_after_the_other(const ProblemKey& key, const Tuning&) {
  return static_cast<double>(std::min(key.n, key.integer("taps")));
}

#if defined(__CUDACC__)
/// One output: the dot product of the taps with the signal that they meet.
template <typename T>
struct Output {
  Convolve<T> p;
  __device__ T operator()(std::int64_t t) const {
    const std::int64_t first = t >= p.n ? t - p.n + 1 : 0;
    const std::int64_t last = t < p.taps ? t : p.taps - 1;
    T sum = 0;
    for (std::int64_t m = first; m <= last; ++m) sum += p.a[t - m] * p.b[m];
    return sum;
  }
};

/// One term of output t.
template <typename T>
struct Term {
  Convolve<T> p;
  std::int64_t t;
  __device__ T operator()(std::int64_t m) const { return p.a[t - m] * p.b[m]; }
};
#endif

TALLY_BASELINE(Convolve, thrust, tabulate)
    .lesson("thrust::tabulate over the outputs, with a dot product in each: what Thrust's user writes first.")
    .source("Thrust, part of CCCL")
    .types<float, double>()
    .additions(a_tap_after_the_other)
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Convolve<T> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        thrust::tabulate(thrust::cuda::par_nosync.on(q.stream()), p.out, p.out + p.outputs(), Output<T>{p});
      };
    }));

TALLY_BASELINE(Convolve, thrust, transform_reduce)
    .lesson("thrust::transform_reduce for one output after the other: each allocates, launches and waits.")
    .source("Thrust, part of CCCL")
    .types<float, double>()
    .needs("needs n of at most 4096: it launches for every output",
           [](const ProblemKey& key, const Tuning&) { return key.n <= 4096; })
    .answers_on_host()
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Convolve<T> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        for (std::int64_t t = 0; t < p.outputs(); ++t) {
          const auto first = thrust::counting_iterator<std::int64_t>(std::max<std::int64_t>(t - p.n + 1, 0));
          const auto end = thrust::counting_iterator<std::int64_t>(std::min(t + 1, p.taps));
          p.host_out[t] = thrust::transform_reduce(thrust::cuda::par.on(q.stream()), first, end, Term<T>{p, t},
                                                   T(0), thrust::plus<T>());
        }
      };
    }));

}  // namespace
}  // namespace tally
