/// thrust::transform_reduce returns its answer by value: it allocates temporary storage, waits for the device
/// and copies the answer to the host, and all of that is what its user pays.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/sum_of_squares.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/transform_reduce.h>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
struct Added {
  template <typename T>
  __host__ __device__ T operator()(T a, T b) const {
    return added(a, b);
  }
};

struct Squared {
  template <typename T>
  __host__ __device__ T operator()(T value) const {
    return squared(value);
  }
};
#endif

TALLY_BASELINE(SumOfSquares, thrust, transform_reduce)
    .lesson("thrust::transform_reduce as it comes: temporary storage is allocated and freed in every call.")
    .source("Thrust, part of CCCL")
    .types<std::int32_t, float, double>()
    .answers_on_host()
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        *problem.host_out = thrust::transform_reduce(thrust::cuda::par.on(q.stream()), problem.x,
                                                     problem.x + problem.n, Squared{}, T(0), Added{});
      };
    }));

}  // namespace
}  // namespace tally
