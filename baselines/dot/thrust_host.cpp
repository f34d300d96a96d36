/// Thrust's TBB system: the same thrust::inner_product, on the CPU's cores.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

#if TALLY_HAS_THRUST_ON_HOST
#include <thrust/inner_product.h>
#include <thrust/system/tbb/execution_policy.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(Dot, thrust_tbb, inner_product)
    .lesson("thrust::inner_product on Thrust's TBB system.")
    .source("Thrust, part of CCCL")
    .types<float, double>()
    .not_deterministic("the order of additions follows how the cores share the work")
#if TALLY_HAS_THRUST_ON_HOST
    .prepare([]<typename T>(Dot<T, T> p, const Tuning&, Scratch&) {
      return [=](Queue&) { *p.out = thrust::inner_product(thrust::tbb::par, p.x, p.x + p.n, p.y, T(0)); };
    });
#else
    .not_on(DeviceKind::host, "Thrust's or TBB's headers were not there when this was built");
#endif

}  // namespace
}  // namespace tally
