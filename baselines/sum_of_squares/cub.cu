/// CUB's reduction of transformed elements. Two calls, as its users make them: one asks for the size of the
/// temporary storage, before the clock starts; the other reduces.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/sum_of_squares.h"

#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
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

TALLY_BASELINE(SumOfSquares, cub, transform_reduce)
    .lesson("cub::DeviceReduce::TransformReduce, squares added up in the type of the elements.")
    .source("CUB, part of CCCL")
    .types<std::int32_t, float, double>()
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      const auto reduce = [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        require(cub::DeviceReduce::TransformReduce(storage, bytes, problem.x, problem.out, problem.n, Added{},
                                                   Squared{}, T(0), stream),
                "cub::DeviceReduce::TransformReduce");
      };
      std::size_t bytes = 0;
      reduce(nullptr, bytes, cudaStream_t{});
      void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
      return [=](Queue& q) {
        std::size_t size = bytes;
        reduce(storage, size, q.stream());
      };
    }));

}  // namespace
}  // namespace tally
