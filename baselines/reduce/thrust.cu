/// thrust::reduce returns its answer by value: it allocates temporary storage, waits for the device and
/// copies the answer to the host, and all of that is what its user pays.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <map>
#include <memory>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
/// Keeps what Thrust gives back and hands it out again, as Thrust's documentation advises its users.
class CachingAllocator {
 public:
  using value_type = char;
  CachingAllocator() = default;
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;
  ~CachingAllocator() {
    for (const auto& [bytes, block] : free_) cudaFree(block);
    for (const auto& [block, bytes] : used_) cudaFree(block);
  }

  char* allocate(std::ptrdiff_t bytes) {
    char* block = nullptr;
    const auto kept = free_.find(bytes);
    if (kept != free_.end()) {
      block = kept->second;
      free_.erase(kept);
    } else {
      require(cudaMalloc(&block, static_cast<std::size_t>(bytes)), "cudaMalloc(caching allocator)");
    }
    used_.emplace(block, bytes);
    return block;
  }

  void deallocate(char* block, std::size_t) {
    const auto found = used_.find(block);
    free_.emplace(found->second, block);
    used_.erase(found);
  }

 private:
  std::multimap<std::ptrdiff_t, char*> free_;
  std::map<char*, std::ptrdiff_t> used_;
};
#endif

TALLY_BASELINE(Reduce, thrust, reduce)
    .lesson("thrust::reduce as it comes: temporary storage is allocated and freed in every call.")
    .source("Thrust, part of CCCL")
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .answers_on_host()
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch&) {
      return [=](Queue& q) {
        const auto total = thrust::reduce(thrust::cuda::par.on(q.stream()), problem.x,
                                          problem.x + problem.n, problem.op.identity(), problem.op);
        *problem.host_out = problem.op.finish(total);
      };
    }));

TALLY_BASELINE(Reduce, thrust, reduce_cached)
    .lesson("thrust::reduce with an allocator that keeps its blocks: no allocation from the second call on.")
    .source("Thrust, part of CCCL")
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .answers_on_host()
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch&) {
      return [=, allocator = std::make_shared<CachingAllocator>()](Queue& q) {
        const auto total = thrust::reduce(thrust::cuda::par(*allocator).on(q.stream()), problem.x,
                                          problem.x + problem.n, problem.op.identity(), problem.op);
        *problem.host_out = problem.op.finish(total);
      };
    }));

}  // namespace
}  // namespace tally
