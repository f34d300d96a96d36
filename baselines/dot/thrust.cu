/// thrust::inner_product returns by value: it allocates, waits and copies the answer to the host.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
template <typename A>
struct Product {
  template <typename T>
  __device__ A operator()(T x, T y) const {
    return static_cast<A>(x) * static_cast<A>(y);
  }
};
#endif

/// Threads add up their share, and then trees: no share is longer than this.
double additions_of_trees(const ProblemKey& key, const Tuning&) {
  constexpr double fewest_threads = 4096;
  return 256 + static_cast<double>(key.n) / fewest_threads;
}

TALLY_BASELINE(Dot, thrust, inner_product)
    .lesson("thrust::inner_product, with sums in float32 for half types.")
    .source("Thrust, part of CCCL")
    .types<float, double, half, bfloat16>()
    .answers_on_host()
    .additions(additions_of_trees)
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> p, const Tuning&, Scratch&) {
      using A = Accumulator<T>;
      return [=](Queue& q) {
        const A total = thrust::inner_product(thrust::cuda::par.on(q.stream()), p.x, p.x + p.n, p.y, A(0),
                                              thrust::plus<A>(), Product<A>());
        *p.host_out = static_cast<Answer>(total);
      };
    }));

}  // namespace
}  // namespace tally
