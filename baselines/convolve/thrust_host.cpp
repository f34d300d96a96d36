/// Thrust's TBB system: the same thrust::tabulate, on the CPU's cores.
#include <algorithm>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/convolve.h"

#if TALLY_HAS_THRUST_ON_HOST
#include <thrust/system/tbb/execution_policy.h>
#include <thrust/tabulate.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(Convolve, thrust_tbb, tabulate)
    .lesson("thrust::tabulate over the outputs on Thrust's TBB system, with a dot product in each.")
    .source("Thrust, part of CCCL")
    .types<float, double>()
    .additions([](const ProblemKey& key, const Tuning&) {
      return static_cast<double>(std::min(key.n, key.integer("taps")));
    })
#if TALLY_HAS_THRUST_ON_HOST
    .prepare([]<typename T>(Convolve<T> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        thrust::tabulate(thrust::tbb::par, p.out, p.out + p.outputs(), [p](std::int64_t t) {
          T sum = 0;
          for (std::int64_t m = std::max<std::int64_t>(t - p.n + 1, 0); m < std::min(t + 1, p.taps); ++m)
            sum += p.a[t - m] * p.b[m];
          return sum;
        });
      };
    });
#else
    .not_on(DeviceKind::host, "Thrust's or TBB's headers were not there when this was built");
#endif

}  // namespace
}  // namespace tally
