/// Thrust's TBB system: the same thrust::transform, on the CPU's cores.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"

#if TALLY_HAS_THRUST_ON_HOST
#include <thrust/iterator/zip_iterator.h>
#include <thrust/system/tbb/execution_policy.h>
#include <thrust/transform.h>
#include <thrust/tuple.h>
#include <thrust/zip_function.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(Elementwise, thrust_tbb, transform)
    .lesson("thrust::transform on Thrust's TBB system.")
    .source("Thrust, part of CCCL")
    .types<float, double>()
#if TALLY_HAS_THRUST_ON_HOST
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        if constexpr (Op::inputs == 1) {
          thrust::transform(thrust::tbb::par, p.x, p.x + p.n, p.out, p.op);
        } else if constexpr (Op::inputs == 2) {
          thrust::transform(thrust::tbb::par, p.x, p.x + p.n, p.y, p.out, p.op);
        } else {
          const auto inputs = thrust::make_zip_iterator(thrust::make_tuple(p.x, p.y, p.z));
          thrust::transform(thrust::tbb::par, inputs, inputs + p.n, p.out, thrust::make_zip_function(p.op));
        }
      };
    });
#else
    .not_on(DeviceKind::host, "Thrust's or TBB's headers were not there when this was built");
#endif

}  // namespace
}  // namespace tally
