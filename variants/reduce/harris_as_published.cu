/// Two kernels of harris.cu as the course prints them. They are known to be wrong, never compared, and here
/// for the checks to catch.
///
///   v1_as_published  adds the wrong cells: wrong sums, and a race
///   v4_as_published  the last warp without barriers: a race since Volta that most runs win
///
/// Only these mistakes are left in: n need not be a multiple of the block, and the partial sums are added up
/// by the same kernel (levels.h), as in harris.cu.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/levels.h"

namespace tally {
namespace {

constexpr const char* course = "\"GPU performance optimisation: algorithms\", reduce_v1 and reduce_v4";

/// Element i, or what changes nothing.
template <typename A, typename T, typename Op>
__device__ A element(const T* x, std::int64_t i, std::int64_t n, Op op) {
  return i < n ? static_cast<A>(x[i]) : op.identity();
}

// ----------------------------------------------------------------------------------- v1_as_published

/// Each thread brings one element into its cell.
template <typename A, typename T, typename Op>
__device__ A* one_element_each(const T* x, std::int64_t n, Op op) {
  A* sums = dynamic_shared<A>();
  sums[threadIdx.x] = element<A>(x, static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x, n, op);
  __syncthreads();
  return sums;
}

/// As the course prints it: `index` decides who adds, but not what is added. Cell 0 never sees most of the
/// block; and thread 1 writes the cell that thread 0 reads in the same step.
template <typename A, typename T, typename Op>
__global__ void v1_as_published(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = one_element_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned index = 2 * s * id;
    if (index < blockDim.x) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v1_as_published)
    .follows("v0")
    .lesson(
        "What a slip between two index names costs: the program runs, is as fast as the right one, and its "
        "sums are wrong. The course's inputs are all 2.0, and it does not look at the answer.")
    .source(course)
    .types<float, std::int32_t>()
    .tunable("threads", {256, 128, 512}, both(rules::power_of_two, rules::between(2, 1024)))
    .knob("op", {"sum", "mean"})
    .known_wrong(
        "adds cells tid and tid + s where it must add index and index + s, so that most of a block is "
        "never added and lanes race")
    .not_deterministic("a race")
    .additions([](const ProblemKey& key, const Tuning& t) { return additions_of_levels(key, t["threads"]); })
    .cost([](const ProblemKey& key, const Tuning& t) { return cost_of_levels(key, t["threads"]); })
    .prepare([]<typename A>(Reduce<A, Sum<A>> problem, const Tuning& t, Scratch& scratch) {
      const auto kernel = v1_as_published<A, A, Sum<A>>;
      return in_levels_of_trees<A>(kernel, kernel, problem, t["threads"], 1, scratch);
    });

// ----------------------------------------------------------------------------------- v4_as_published

/// Each thread brings the sum of two.
template <typename A, typename T, typename Op>
__device__ A* two_elements_each(const T* x, std::int64_t n, Op op) {
  A* sums = dynamic_shared<A>();
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 2 * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = op(element<A>(x, i, n, op), element<A>(x, i + blockDim.x, n, op));
  __syncthreads();
  return sums;
}

/// As the course prints it: `volatile` keeps the compiler from holding cells in registers, but nothing keeps
/// the lanes together.
template <typename A, typename Op>
__device__ void tail_as_published(volatile A* sums, unsigned id, Op op) {
  sums[id] = op(sums[id], sums[id + 32]);
  sums[id] = op(sums[id], sums[id + 16]);
  sums[id] = op(sums[id], sums[id + 8]);
  sums[id] = op(sums[id], sums[id + 4]);
  sums[id] = op(sums[id], sums[id + 2]);
  sums[id] = op(sums[id], sums[id + 1]);
}

template <typename A, typename T, typename Op>
__global__ void v4_as_published(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = two_elements_each<A>(x, n, op);
  const unsigned id = threadIdx.x;
  for (unsigned s = blockDim.x / 2; s > 32; s /= 2) {
    if (id < s) sums[id] = op(sums[id], sums[id + s]);
    __syncthreads();
  }
  if (id < 32) tail_as_published(sums, id, op);
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, harris, v4_as_published)
    .follows("v3")
    .lesson(
        "A race that most runs win. Until Pascal the lanes of a warp ran in step and this was right; since "
        "Volta they need not, and only a tool that follows each lane sees what is wrong.")
    .source(course)
    .types<float, std::int32_t>()
    .tunable("threads", {256, 128, 512}, both(rules::power_of_two, rules::between(64, 1024)))
    .knob("op", {"sum", "mean"})
    .known_wrong(
        "the lanes of the last warp read cells that other lanes write in the same step, with nothing "
        "between them (a race since Volta); its answers may still come out right")
    .not_deterministic("a race")
    .additions([](const ProblemKey& key, const Tuning& t) {
      return additions_of_levels(key, 2 * t["threads"]);
    })
    .cost([](const ProblemKey& key, const Tuning& t) { return cost_of_levels(key, 2 * t["threads"]); })
    .prepare([]<typename A>(Reduce<A, Sum<A>> problem, const Tuning& t, Scratch& scratch) {
      const auto kernel = v4_as_published<A, A, Sum<A>>;
      return in_levels_of_trees<A>(kernel, kernel, problem, t["threads"], 2, scratch);
    });

}  // namespace
}  // namespace tally
