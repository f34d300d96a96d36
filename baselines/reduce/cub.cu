/// CUB's device-wide reductions. Two calls each, as its users make them: one asks for the size of the
/// temporary storage, before the clock starts; the other reduces.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
/// Asks `reduce(storage, bytes, stream)` for its storage and returns the timed call.
template <typename Call>
auto with_storage(Scratch& scratch, Call reduce) {
  std::size_t bytes = 0;
  require(reduce(nullptr, bytes, cudaStream_t{}), "cub: size of the temporary storage");
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](Queue& q) {
    std::size_t size = bytes;
    require(reduce(storage, size, q.stream()), "cub");
  };
}
#endif

TALLY_BASELINE(Reduce, cub, sum)
    .lesson("cub::DeviceReduce::Sum, which adds up in the type of its answer.")
    .source("CUB, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .knob("op", {"sum"})
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Reduce<T, Sum<T>> problem, const Tuning&, Scratch& scratch) {
      return with_storage(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Sum(storage, bytes, problem.x, problem.out, problem.n, stream);
      });
    }));

TALLY_BASELINE(Reduce, cub, min)
    .lesson("cub::DeviceReduce::Min.")
    .source("CUB, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Reduce<T, Min<T>> problem, const Tuning&, Scratch& scratch) {
      return with_storage(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Min(storage, bytes, problem.x, problem.out, problem.n, stream);
      });
    }));

TALLY_BASELINE(Reduce, cub, max)
    .lesson("cub::DeviceReduce::Max.")
    .source("CUB, part of CCCL")
    .types<float, double, std::int32_t, std::int64_t>()
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Reduce<T, Max<T>> problem, const Tuning&, Scratch& scratch) {
      return with_storage(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Max(storage, bytes, problem.x, problem.out, problem.n, stream);
      });
    }));

TALLY_BASELINE(Reduce, cub, reduce)
    .lesson(
        "cub::DeviceReduce::Reduce with an accumulator of its own: float32 for half types, where CUB's Sum into a "
        "half would add up in half, and int32 for int8.")
    .source("CUB, part of CCCL")
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .knob("op", {"sum", "min", "max"})
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) {
      return with_storage(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Reduce(storage, bytes, problem.x, problem.out, problem.n, problem.op,
                                         problem.op.identity(), stream);
      });
    }));

}  // namespace
}  // namespace tally
