/// Thrust's TBB system: the same scans, on the CPU's cores.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

#if TALLY_HAS_THRUST_ON_HOST
#include <thrust/scan.h>
#include <thrust/system/tbb/execution_policy.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(Scan, thrust_tbb, scan)
    .lesson("thrust::inclusive_scan or thrust::exclusive_scan on Thrust's TBB system.")
    .source("Thrust, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .not_deterministic("the order of additions follows how the cores share the work")
#if TALLY_HAS_THRUST_ON_HOST
    .prepare([]<typename T>(Scan<T> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        if (p.inclusive) {
          thrust::inclusive_scan(thrust::tbb::par, p.x, p.x + p.n, p.out, WrappingPlus<T>());
        } else {
          thrust::exclusive_scan(thrust::tbb::par, p.x, p.x + p.n, p.out, T(0), WrappingPlus<T>());
        }
      };
    });
#else
    .not_on(DeviceKind::host, "Thrust's or TBB's headers were not there when this was built");
#endif

}  // namespace
}  // namespace tally
