/// CUB over the outputs' indices: DeviceTransform of a counting iterator, and DeviceFor, whose function
/// stores.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"

#if defined(__CUDACC__)
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_transform.cuh>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
/// The value of an output of either direction, from its index.
template <typename T, typename Direction, typename Index>
struct Output {
  const T* in;
  Index width;
  __device__ T operator()(Index output) const {
    if constexpr (std::is_same_v<Direction, Forward>) {
      return in[element_behind(output, width)];
    } else {
      const T* upper = in + corner_of_square(output, width);
      const T* lower = upper + 2 * width;
      return upper[0] + upper[1] + lower[0] + lower[1];
    }
  }
};

/// Calls use(outputs, output function, a zero of the index type) with 32-bit indices where they suffice.
template <typename T, typename Direction, typename Use>
void with_narrowest_index(const UpsampleNearest2x<T, Direction>& p, Use use) {
  const std::int64_t outputs = std::is_same_v<Direction, Forward> ? 4 * p.elements : p.elements;
  if (p.fits_32_bits()) {
    const auto width = static_cast<std::int32_t>(p.width);
    use(static_cast<std::int32_t>(outputs), Output<T, Direction, std::int32_t>{p.in, width});
  } else {
    use(outputs, Output<T, Direction, std::int64_t>{p.in, p.width});
  }
}

/// What DeviceFor calls for every index.
template <typename T, typename Function>
struct Store {
  T* out;
  Function function;
  template <typename Index>
  __device__ void operator()(Index output) const {
    out[output] = function(output);
  }
};
#endif

TALLY_BASELINE(UpsampleNearest2x, cub, transform)
    .lesson("cub::DeviceTransform::Transform of a counting iterator.")
    .source("CUB, part of CCCL")
    .types<float, half>()
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename D>(UpsampleNearest2x<T, D> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        with_narrowest_index(p, [&](auto outputs, auto function) {
          const auto indices = thrust::counting_iterator<decltype(outputs)>(0);
          require(cub::DeviceTransform::Transform(indices, p.out, outputs, function, q.stream()),
                  "cub::DeviceTransform::Transform");
        });
      };
    }));

TALLY_BASELINE(UpsampleNearest2x, cub, for_bulk)
    .lesson("cub::DeviceFor::Bulk over the outputs' indices.")
    .source("CUB, part of CCCL")
    .types<float, half>()
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename D>(UpsampleNearest2x<T, D> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        with_narrowest_index(p, [&](auto outputs, auto function) {
          require(cub::DeviceFor::Bulk(outputs, Store<T, decltype(function)>{p.out, function}, q.stream()),
                  "cub::DeviceFor::Bulk");
        });
      };
    }));

}  // namespace
}  // namespace tally
