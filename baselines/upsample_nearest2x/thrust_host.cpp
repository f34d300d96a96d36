/// Thrust's TBB system: the same thrust::tabulate, on the CPU's cores.
#include <type_traits>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"

#if TALLY_HAS_THRUST_ON_HOST
#include <thrust/system/tbb/execution_policy.h>
#include <thrust/tabulate.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(UpsampleNearest2x, thrust_tbb, tabulate)
    .lesson("thrust::tabulate over the outputs on Thrust's TBB system.")
    .source("Thrust, part of CCCL")
    .types<float>()
#if TALLY_HAS_THRUST_ON_HOST
    .prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        const std::int64_t outputs = std::is_same_v<Direction, Forward> ? 4 * p.elements : p.elements;
        thrust::tabulate(thrust::tbb::par, p.out, p.out + outputs, [p](std::int64_t output) -> T {
          if constexpr (std::is_same_v<Direction, Forward>) {
            return p.in[element_behind(output, p.width)];
          } else {
            const T* upper = p.in + corner_of_square(output, p.width);
            const T* lower = upper + 2 * p.width;
            return upper[0] + upper[1] + lower[0] + lower[1];
          }
        });
      };
    });
#else
    .not_on(DeviceKind::host, "Thrust's or TBB's headers were not there when this was built");
#endif

}  // namespace
}  // namespace tally
