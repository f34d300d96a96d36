/// thrust::transform, queued without waiting for it.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/transform.h>
#include <thrust/zip_function.h>
#endif

namespace tally {
namespace {

TALLY_BASELINE(Elementwise, thrust, transform)
    .lesson("thrust::transform; of three arrays through a zip iterator.")
    .source("Thrust, part of CCCL")
    .types<float, double, half, bfloat16>()
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Elementwise<T, Op> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        const auto policy = thrust::cuda::par_nosync.on(q.stream());
        if constexpr (Op::inputs == 1) {
          thrust::transform(policy, p.x, p.x + p.n, p.out, p.op);
        } else if constexpr (Op::inputs == 2) {
          thrust::transform(policy, p.x, p.x + p.n, p.y, p.out, p.op);
        } else {
          const auto inputs = thrust::make_zip_iterator(p.x, p.y, p.z);
          thrust::transform(policy, inputs, inputs + p.n, p.out, thrust::make_zip_function(p.op));
        }
      };
    }));

}  // namespace
}  // namespace tally
