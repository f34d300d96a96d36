/// CUB's transform-reduce over pairs of elements: sums in float32 for half types.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

#if defined(__CUDACC__)
#include <thrust/iterator/zip_iterator.h>
#include <thrust/zip_function.h>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
template <typename A>
struct Product {
  template <typename T>
  __device__ A operator()(T x, T y) const {
    return static_cast<A>(x) * static_cast<A>(y);
  }
};
#endif

/// Threads add up their share, and then trees: no share is longer than this.
double additions_of_trees(const ProblemKey& key, const Tuning&) {
  constexpr double fewest_threads = 4096;
  return 256 + static_cast<double>(key.n) / fewest_threads;
}

TALLY_BASELINE(Dot, cub, transform_reduce)
    .lesson("cub::DeviceReduce::TransformReduce of a zip iterator.")
    .source("CUB, part of CCCL")
    .types<float, double, half, bfloat16>()
    .additions(additions_of_trees)
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> p, const Tuning&, Scratch& scratch) {
      using A = Accumulator<T>;
      const auto reduce = [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        const auto pairs = thrust::make_zip_iterator(p.x, p.y);
        return cub::DeviceReduce::TransformReduce(storage, bytes, pairs, p.out, p.n, cuda::std::plus<A>(),
                                                  thrust::make_zip_function(Product<A>()), A(0), stream);
      };
      std::size_t bytes = 0;
      require(reduce(nullptr, bytes, cudaStream_t{}), "cub: size of the temporary storage");
      void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
      return [=](Queue& q) {
        std::size_t size = bytes;
        require(reduce(storage, size, q.stream()), "cub::DeviceReduce::TransformReduce");
      };
    }));

}  // namespace
}  // namespace tally
