/// Which values are paired, and where: a study note that calls a tree "interleaved" when values half a block
/// apart are added and "adjacent" when neighbours are.
///
///   interleaved_global  the upper half of each block's values is added to the lower, in global memory
///   interleaved_shared  the same tree over a copy in shared memory: global memory is read once
///   adjacent_shared     neighbours are added: every second thread, every fourth, … has work
///   warp_shuffle        each warp's tree runs in registers, then one warp adds up the warps' sums
///
/// The note leaves one value a block and says that they "still have to be reduced"; here the same kernel does
/// it (levels.h). Its `real` is any of our types, except in global memory: there a sum lies where the
/// elements were, so that half types and int8 could not add up wider.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"
#include "variants/reduce/levels.h"

namespace tally {
namespace {

constexpr const char* note = "\"Reduce\", a study note in Chinese";

/// A tree needs a partner for everyone, and one thread alone would never come to an end.
const Rule tree_of_a_block = both(rules::power_of_two, rules::between(2, 1024));

double additions_of_tree(const ProblemKey& key, const Tuning& t) {
  return additions_of_levels(key, t["threads"]);
}

Cost cost_of_reading_once(const ProblemKey& key, const Tuning& t) {
  return cost_of_levels(key, t["threads"]);
}

// -------------------------------------------------------------------------------- interleaved_global

/// Adds in place. The note does not look at n here; a value beyond the end has no partner.
template <typename A, typename Op>
__global__ void interleaved_global(A* out, A* x, std::int64_t n, Op op, bool last) {
  const unsigned id = threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x;
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    const std::int64_t i = first + id;
    if (id < offset && i + offset < n) x[i] = op(x[i], x[i + offset]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(x[first]) : x[first];
}

TALLY_VARIANT(Reduce, pairings, interleaved_global)
    .lesson(
        "A block can add up in global memory alone, since its barrier orders that memory too. But every step "
        "reads and writes it: two reads and a write an element, and the input is gone.")
    .source(note)
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .destroys_input()
    .additions(additions_of_tree)
    .cost([](const ProblemKey& key, const Tuning& t) {
      // Of the values of a block all but one are added to another: two reads and a write each; the one that
      // is left is read again and written out. Both hold level by level.
      const Levels levels(key.n, t["threads"]);
      const auto element = static_cast<double>(size_of(key.type));
      const auto values = static_cast<double>(key.n + levels.partials);
      const auto left = static_cast<double>(levels.partials + 1);
      return Cost{.bytes_read = (2 * (values - left) + left) * element,
                  .bytes_written = values * element,
                  .launches = levels.launches,
                  .partials = levels.partials};
    })
    .prepare([]<typename A, typename Op>(Reduce<A, Op> problem, const Tuning& t, Scratch& scratch) {
      const auto kernel = interleaved_global<A, Op>;
      return in_levels(kernel, kernel, problem.x_in_place(), problem, {t["threads"], t["threads"]}, scratch);
    });

// -------------------------------------------------------------------------------- interleaved_shared

/// This thread's element, or what changes nothing.
template <typename A, typename T, typename Op>
__device__ A own_element(const T* x, std::int64_t n, Op op) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  return i < n ? static_cast<A>(x[i]) : op.identity();
}

template <typename A, typename T, typename Op>
__global__ void interleaved_shared(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = dynamic_shared<A>();
  const unsigned id = threadIdx.x;
  sums[id] = own_element<A>(x, n, op);
  __syncthreads();
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    if (id < offset) sums[id] = op(sums[id], sums[id + offset]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, pairings, interleaved_shared)
    .follows("interleaved_global")
    .lesson(
        "The same pairs, added in shared memory: global memory is read once and not written but for one value "
        "a block. The input survives, and sums may be wider than elements.")
    .source(note)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_tree)
    .cost(cost_of_reading_once)
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(interleaved_shared<A, T, Op>, interleaved_shared<A, A, Op>, problem,
                                   t["threads"], 1, scratch);
    });

// ----------------------------------------------------------------------------------- adjacent_shared

template <typename A, typename T, typename Op>
__global__ void adjacent_shared(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums = dynamic_shared<A>();
  const unsigned id = threadIdx.x;
  sums[id] = own_element<A>(x, n, op);
  __syncthreads();
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (id % (2 * stride) == 0) sums[id] = op(sums[id], sums[id + stride]);
    __syncthreads();
  }
  if (id == 0) out[blockIdx.x] = last ? op.finish(sums[0]) : sums[0];
}

TALLY_VARIANT(Reduce, pairings, adjacent_shared)
    .follows("interleaved_shared")
    .lesson(
        "Neighbours first: the sum comes in the order of the array, and the price is that in every warp some "
        "threads add while others wait. A step back in speed: the pairing matters, not only the memory.")
    .source(note)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, tree_of_a_block)
    .additions(additions_of_tree)
    .cost(cost_of_reading_once)
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      return in_levels_of_trees<A>(adjacent_shared<A, T, Op>, adjacent_shared<A, A, Op>, problem,
                                   t["threads"], 1, scratch);
    });

// -------------------------------------------------------------------------------------- warp_shuffle

constexpr unsigned all_lanes = 0xffffffffu;
constexpr unsigned lanes = 32;

/// The warp's sum, in lane 0. All 32 lanes must call it.
template <typename A, typename Op>
__device__ A added_up_by_warp(A sum, Op op) {
  for (unsigned offset = lanes / 2; offset > 0; offset /= 2) {
    sum = op(sum, __shfl_down_sync(all_lanes, sum, offset));
  }
  return sum;
}

/// The note lets only as many lanes as there are warps into the second shuffle, but names all 32 in its mask:
/// lanes that are named and do not come are waited for, or read as they please. Here the whole first warp
/// comes, and lanes without a warp's sum bring the identity. That takes any whole number of warps, too. The
/// copy of each element that the note also leaves in shared memory is read by no one and is left out.
template <typename A, typename T, typename Op>
__global__ void warp_shuffle(A* out, const T* x, std::int64_t n, Op op, bool last) {
  A* sums_of_warps = dynamic_shared<A>();
  const unsigned id = threadIdx.x;
  A sum = added_up_by_warp(own_element<A>(x, n, op), op);
  if (id % lanes == 0) sums_of_warps[id / lanes] = sum;
  __syncthreads();
  if (id < lanes) {
    sum = added_up_by_warp(id < blockDim.x / lanes ? sums_of_warps[id] : op.identity(), op);
    if (id == 0) out[blockIdx.x] = last ? op.finish(sum) : sum;
  }
}

TALLY_VARIANT(Reduce, pairings, warp_shuffle)
    .follows("adjacent_shared")
    .lesson(
        "The lanes of a warp hand their values on from register to register: ten steps without shared memory "
        "and one barrier a block, where the trees before needed a barrier a step.")
    .source(note)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, both(rules::whole_warps, rules::block_size))
    .additions([](const ProblemKey& key, const Tuning& t) {
      return static_cast<double>(10 * Levels(key.n, t["threads"]).launches);  // two trees of 32 a block
    })
    .cost(cost_of_reading_once)
    .prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      using A = Accumulator<T>;
      const std::int64_t threads = t["threads"];
      return in_levels(warp_shuffle<A, T, Op>, warp_shuffle<A, A, Op>, problem.x, problem,
                       {threads, threads, threads / lanes * static_cast<std::int64_t>(sizeof(A))}, scratch);
    });

}  // namespace
}  // namespace tally
