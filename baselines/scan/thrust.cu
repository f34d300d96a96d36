/// Thrust's scans, which allocate their temporary storage in every call.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#endif

namespace tally {
namespace {

/// No tile of its is smaller than this; within a tile sums are trees, and tiles follow one another.
double additions_by_tiles(const ProblemKey& key, const Tuning&) {
  constexpr double smallest_tile = 256;
  return 64 + static_cast<double>(key.n) / smallest_tile;
}

constexpr const char* look_back = "how far a tile looks back decides the order of additions";

TALLY_BASELINE(Scan, thrust, inclusive_scan)
    .lesson("thrust::inclusive_scan as it comes.")
    .source("Thrust, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .knob("kind", {"inclusive"})
    .synchronises()
    .additions(additions_by_tiles)
    .not_deterministic(look_back)
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        thrust::inclusive_scan(thrust::cuda::par_nosync.on(q.stream()), p.x, p.x + p.n, p.out);
      };
    }));

TALLY_BASELINE(Scan, thrust, exclusive_scan)
    .lesson("thrust::exclusive_scan as it comes.")
    .source("Thrust, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .knob("kind", {"exclusive"})
    .synchronises()
    .additions(additions_by_tiles)
    .not_deterministic(look_back)
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> p, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        thrust::exclusive_scan(thrust::cuda::par_nosync.on(q.stream()), p.x, p.x + p.n, p.out);
      };
    }));

}  // namespace
}  // namespace tally
