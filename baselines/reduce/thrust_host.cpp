/// Thrust's TBB system: the same thrust::reduce, on the CPU's cores.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

#if TALLY_HAS_THRUST_ON_HOST
#include <thrust/reduce.h>
#include <thrust/system/tbb/execution_policy.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(Reduce, thrust_tbb, reduce)
    .lesson("thrust::reduce on Thrust's TBB system.")
    .source("Thrust, part of CCCL")
    .types<float, double, std::int8_t, std::int32_t, std::int64_t>()
    .not_deterministic("the order of additions follows how the cores share the work")
#if TALLY_HAS_THRUST_ON_HOST
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch&) {
      return [=](Queue&) {
        const auto total = thrust::reduce(thrust::tbb::par, problem.x, problem.x + problem.n,
                                          problem.op.identity(), problem.op);
        *problem.out = problem.op.finish(total);
      };
    });
#else
    .not_on(DeviceKind::host, "Thrust's or TBB's headers were not there when this was built");
#endif

}  // namespace
}  // namespace tally
