/// CUB's device-wide scan: one pass with decoupled look-back, tuned for each GPU.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

#if defined(__CUDACC__)
#include <cub/device/device_scan.cuh>
#endif

namespace tally {
namespace {

/// No tile of its is smaller than this; within a tile sums are trees, and tiles follow one another.
double additions_by_tiles(const ProblemKey& key, const Tuning&) {
  constexpr double smallest_tile = 256;
  return 64 + static_cast<double>(key.n) / smallest_tile;
}

constexpr const char* look_back = "how far a tile looks back decides the order of additions";

#if defined(__CUDACC__)
/// Asks `scan(storage, bytes, stream)` for its storage and returns the timed call.
template <typename Call>
auto with_storage(Scratch& scratch, Call scan) {
  std::size_t bytes = 0;
  require(scan(nullptr, bytes, cudaStream_t{}), "cub: size of the temporary storage");
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](Queue& q) {
    std::size_t size = bytes;
    require(scan(storage, size, q.stream()), "cub::DeviceScan");
  };
}
#endif

TALLY_BASELINE(Scan, cub, inclusive_sum)
    .lesson("cub::DeviceScan::InclusiveSum.")
    .source("CUB, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .knob("kind", {"inclusive"})
    .additions(additions_by_tiles)
    .not_deterministic(look_back)
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> p, const Tuning&, Scratch& scratch) {
      return with_storage(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceScan::InclusiveSum(storage, bytes, p.x, p.out, p.n, stream);
      });
    }));

TALLY_BASELINE(Scan, cub, exclusive_sum)
    .lesson("cub::DeviceScan::ExclusiveSum.")
    .source("CUB, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .knob("kind", {"exclusive"})
    .additions(additions_by_tiles)
    .not_deterministic(look_back)
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> p, const Tuning&, Scratch& scratch) {
      return with_storage(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceScan::ExclusiveSum(storage, bytes, p.x, p.out, p.n, stream);
      });
    }));

}  // namespace
}  // namespace tally
