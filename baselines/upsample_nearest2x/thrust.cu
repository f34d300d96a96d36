/// Thrust over the outputs' indices: each output finds what it is made of.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/tabulate.h>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
template <typename T, typename Index>
struct Repeated {
  const T* in;
  Index width;
  __device__ T operator()(Index output) const { return in[element_behind(output, width)]; }
};

template <typename T, typename Index>
struct SumOfSquare {
  const T* in;
  Index width;
  __device__ T operator()(Index output) const {
    const T* upper = in + corner_of_square(output, width);
    const T* lower = upper + 2 * width;
    return upper[0] + upper[1] + lower[0] + lower[1];
  }
};

/// tabulate with 32-bit indices where they suffice.
template <template <typename, typename> typename Element, typename P>
auto tabulated(P p, std::int64_t outputs) {
  using T = typename P::Value;
  return [=](Queue& q) {
    const auto policy = thrust::cuda::par_nosync.on(q.stream());
    if (p.fits_32_bits()) {
      thrust::tabulate(policy, p.out, p.out + outputs,
                       Element<T, std::int32_t>{p.in, static_cast<std::int32_t>(p.width)});
    } else {
      thrust::tabulate(policy, p.out, p.out + outputs, Element<T, std::int64_t>{p.in, p.width});
    }
  };
}
#endif

TALLY_BASELINE(UpsampleNearest2x, thrust, tabulate)
    .lesson("thrust::tabulate over the large images; four threads read the same element.")
    .source("Thrust, part of CCCL")
    .types<float, half>()
    .knob("direction", {"forward"})
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
        TALLY_ON_CUDA(.prepare([]<typename T>(UpsampleNearest2x<T, Forward> p, const Tuning&, Scratch&) { return tabulated<Repeated>(p, 4 * p.elements);
    }));

TALLY_BASELINE(UpsampleNearest2x, thrust, tabulate_backward)
    .lesson("thrust::tabulate over the small images, with the sum of a square in each.")
    .source("Thrust, part of CCCL")
    .types<float, half>()
    .knob("direction", {"backward"})
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
        TALLY_ON_CUDA(.prepare([]<typename T>(UpsampleNearest2x<T, Backward> p, const Tuning&, Scratch&) { return tabulated<SumOfSquare>(p, p.elements);
    }));

}  // namespace
}  // namespace tally
