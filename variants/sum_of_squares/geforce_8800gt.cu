/// The first program of an early CUDA tutorial, a sum of squares, made faster in eight steps on a GeForce
/// 8800 GT: from one thread at 9.3 MB/s to 44 GB/s.
///
///   one_thread              a GPU's thread is slow: nothing hides its waiting for memory
///   contiguous_256          256 threads, each with a stretch of its own: neighbours read far apart
///   coalesced_256           thread i takes i, i + 256, …: neighbours read side by side
///   coalesced_512           twice the threads hide more of the waiting
///   blocks_32               32 blocks, since one block has but one multiprocessor; the host adds 8192 sums
///   block_sums_by_thread_0  shared memory: one thread adds up its block, the host 32 sums
///   shared_tree             a tree between neighbours instead of that one thread
///   no_bank_conflict        the tree halves from the top: neighbouring cells
///   unrolled_tree           the tree written out
///
/// The stages after the first finish on the host, as the source does: copy and additions are part of the
/// call. (The text at hand begins with coalesced_256 and ends before block_sums_by_thread_0; the others
/// follow the same tutorial.) Every kernel notes its own cycles, as the source's do: kernel_clock.h.
#include <bit>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/sum_of_squares.h"
#include "variants/sum_of_squares/block_notes.h"
#include "variants/sum_of_squares/finished_on_host.h"
#include "variants/sum_of_squares/kernel_clock.h"

namespace tally {
namespace {

constexpr const char* tutorial = "\"An introduction to CUDA\", a tutorial in Chinese";
constexpr const char* card = "GeForce 8800 GT";
constexpr std::int64_t published_n = 1 << 20;

std::int64_t ceiling(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

// ---------------------------------------------------------------------------------------- one_thread

template <typename T>
__global__ void one_thread(T* out, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  T sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum = added(sum, squared(x[i]));
  out[0] = sum;
  note_end(times);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, one_thread)
    .lesson(
        "A C program moved to the GPU as it is. One thread waits for memory hundreds of cycles at a time, and "
        "there is no other to do something meanwhile.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .needs("needs n of at most 2^16 in float32: a longer chain of additions stops growing",
           [](const ProblemKey& key, const Tuning&) {
             return key.type != ScalarType::float32 || key.n <= (std::int64_t{1} << 16);
           })
    .additions([](const ProblemKey& key, const Tuning&) { return static_cast<double>(key.n); })
    .cost([](const ProblemKey& key, const Tuning&) {
      Cost cost = cost_of(key, {1, 1, 1});
      cost.partials = cost.host_additions = 0;
      return cost;
    })
    .published(card, published_n, ScalarType::int32, 640e6, "cycles")
    .published(card, published_n, ScalarType::int32, 0.0093, "GB/s")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      auto* times = scratch.array<BlockTimes>(1);
      return with_kernel_clock(
          [=](Queue& q) {
            q.launch(one_thread<T>, {1, 1}, problem.out, problem.x, problem.n, times);
          },
          times, 1);
    });

// ------------------------------------------------------------------------------------ contiguous_256

constexpr Stage one_block_of_256{1, 256, 256};
constexpr Stage one_block_of_512{1, 512, 512};

template <typename T>
__global__ void contiguous(T* results, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  const std::int64_t stretch = (n + blockDim.x - 1) / blockDim.x;
  const std::int64_t begin = threadIdx.x * stretch;
  const std::int64_t end = begin + stretch < n ? begin + stretch : n;
  T sum = 0;
  for (std::int64_t i = begin; i < end; ++i) sum = added(sum, squared(x[i]));
  results[threadIdx.x] = sum;
  note_end(times);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, contiguous_256)
    .follows("one_thread")
    .lesson(
        "256 threads take turns at waiting. But each reads a stretch of its own, so that what a warp reads at "
        "one moment lies all over the array: a transaction a lane.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .answers_on_host()
    .additions([](const ProblemKey& key, const Tuning&) {
      return static_cast<double>(ceiling(key.n, one_block_of_256.threads) + one_block_of_256.sums);
    })
    .cost([](const ProblemKey& key, const Tuning&) { return cost_of(key, one_block_of_256); })
    .published(card, published_n, ScalarType::int32, 8.3e6, "cycles")
    .published(card, published_n, ScalarType::int32, 0.723, "GB/s")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      return finished_on_host<T>(contiguous<T>, problem, one_block_of_256, scratch);
    });

// ------------------------------------------------------------------------------------- coalesced_256

/// This thread's share, with the stride of the grid.
template <typename T>
__device__ T own_sum(const T* x, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  T sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    sum = added(sum, squared(x[i]));
  }
  return sum;
}

/// Leaves a sum a thread.
template <typename T>
__global__ void coalesced(T* results, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  results[static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x] = own_sum(x, n);
  note_end(times);
}

double additions_of_one_block(const ProblemKey& key, Stage stage) {
  return static_cast<double>(ceiling(key.n, stage.threads) + stage.sums);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, coalesced_256)
    .follows("contiguous_256")
    .lesson(
        "Thread i takes elements i, i + 256, …: in the order in which the GPU runs its threads, memory is read "
        "one address after another. A warp's 32 loads become one transaction or a few.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .answers_on_host()
    .additions([](const ProblemKey& key, const Tuning&) {
      return additions_of_one_block(key, one_block_of_256);
    })
    .cost([](const ProblemKey& key, const Tuning&) { return cost_of(key, one_block_of_256); })
    .published(card, published_n, ScalarType::int32, 2.6e6, "cycles")
    .published(card, published_n, ScalarType::int32, 2.3, "GB/s")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      return finished_on_host<T>(coalesced<T>, problem, one_block_of_256, scratch);
    });

// ------------------------------------------------------------------------------------- coalesced_512

TALLY_VARIANT(SumOfSquares, geforce_8800gt, coalesced_512)
    .follows("coalesced_256")
    .lesson(
        "Twice the threads have twice the loads in flight. 512 was the most that a block of that card could "
        "have, and all of them still sit on one multiprocessor.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .answers_on_host()
    .additions([](const ProblemKey& key, const Tuning&) {
      return additions_of_one_block(key, one_block_of_512);
    })
    .cost([](const ProblemKey& key, const Tuning&) { return cost_of(key, one_block_of_512); })
    .published(card, published_n, ScalarType::int32, 1.95e6, "cycles")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      return finished_on_host<T>(coalesced<T>, problem, one_block_of_512, scratch);
    });

// ----------------------------------------------------------------------------------------- blocks_32

Stage a_sum_a_thread(const Tuning& t) { return {t["blocks"], t["threads"], t["blocks"] * t["threads"]}; }

TALLY_VARIANT(SumOfSquares, geforce_8800gt, blocks_32)
    .follows("coalesced_512")
    .lesson(
        "Blocks spread over the multiprocessors: 32 of them (the default tuning), 8192 threads, and the "
        "kernel is 13 times as fast. The host now has 8192 sums to copy and add, which the kernel's own clock "
        "does not show and end_to_end does.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .tunable("threads", {256, 128, 512}, rules::block_size)
    .tunable("blocks", {32, 132, 264}, rules::positive)
    .answers_on_host()
    .additions([](const ProblemKey& key, const Tuning& t) {
      const Stage stage = a_sum_a_thread(t);
      return static_cast<double>(ceiling(key.n, stage.sums) + stage.sums);
    })
    .cost([](const ProblemKey& key, const Tuning& t) { return cost_of(key, a_sum_a_thread(t)); })
    .published(card, published_n, ScalarType::int32, 150e3, "cycles")
    .published(card, published_n, ScalarType::int32, 40, "GB/s")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      return finished_on_host<T>(coalesced<T>, problem, a_sum_a_thread(t), scratch);
    });

// ---------------------------------------------------------------------------- block_sums_by_thread_0

Stage a_sum_a_block(const Tuning& t) { return {t["blocks"], t["threads"], t["blocks"], t["threads"]}; }

Cost cost_of_block_sums(const ProblemKey& key, const Tuning& t) { return cost_of(key, a_sum_a_block(t)); }

double additions_with_trees(const ProblemKey& key, const Tuning& t) {
  const int depth = std::bit_width(static_cast<std::uint64_t>(t["threads"] - 1));
  return static_cast<double>(ceiling(key.n, t["blocks"] * t["threads"]) + depth + t["blocks"]);
}

/// What the stages with shared memory begin with: each thread's sum in its cell.
template <typename T>
__device__ T* own_sums_in_shared_memory(const T* x, std::int64_t n) {
  T* sums = dynamic_shared<T>();
  sums[threadIdx.x] = own_sum(x, n);
  __syncthreads();
  return sums;
}

template <typename T>
__global__ void block_sums_by_thread_0(T* results, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  T* sums = own_sums_in_shared_memory(x, n);
  if (threadIdx.x == 0) {
    for (unsigned i = 1; i < blockDim.x; ++i) sums[0] = added(sums[0], sums[i]);
    results[blockIdx.x] = sums[0];
  }
  note_end(times);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, block_sums_by_thread_0)
    .follows("blocks_32")
    .lesson(
        "The threads of a block share memory, so a block can add up its own sums: the host is left with 32. "
        "But 255 threads wait for one, and the kernel is slower by more than the host saves, but for small n.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .tunable("threads", {256, 128, 512}, rules::block_size)
    .tunable("blocks", {32, 132, 264}, rules::positive)
    .answers_on_host()
    .additions([](const ProblemKey& key, const Tuning& t) {
      return static_cast<double>(ceiling(key.n, t["blocks"] * t["threads"]) + t["threads"] + t["blocks"]);
    })
    .cost(cost_of_block_sums)
    .published(card, published_n, ScalarType::int32, 164e3, "cycles")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      return finished_on_host<T>(block_sums_by_thread_0<T>, problem, a_sum_a_block(t), scratch);
    });

// --------------------------------------------------------------------------------------- shared_tree

template <typename T>
__global__ void shared_tree(T* results, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  T* sums = own_sums_in_shared_memory(x, n);
  const unsigned id = threadIdx.x;
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    if ((id & (2 * offset - 1)) == 0) sums[id] = added(sums[id], sums[id + offset]);
    __syncthreads();
  }
  if (id == 0) results[blockIdx.x] = sums[0];
  note_end(times);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, shared_tree)
    .follows("block_sums_by_thread_0")
    .lesson(
        "Half of the threads add a neighbour, then a quarter, …: eight steps instead of 255. But the threads at "
        "work are scattered over all warps, so that none can rest until the last steps.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .tunable("threads", {256, 128, 512}, both(rules::power_of_two, rules::block_size))
    .tunable("blocks", {32, 132, 264}, rules::positive)
    .answers_on_host()
    .additions(additions_with_trees)
    .cost(cost_of_block_sums)
    .published(card, published_n, ScalarType::int32, 140e3, "cycles")
    .published(card, published_n, ScalarType::int32, 43, "GB/s")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      return finished_on_host<T>(shared_tree<T>, problem, a_sum_a_block(t), scratch);
    });

// ---------------------------------------------------------------------------------- no_bank_conflict

template <typename T>
__global__ void no_bank_conflict(T* results, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  T* sums = own_sums_in_shared_memory(x, n);
  const unsigned id = threadIdx.x;
  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    if (id < offset) sums[id] = added(sums[id], sums[id + offset]);
    __syncthreads();
  }
  if (id == 0) results[blockIdx.x] = sums[0];
  note_end(times);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, no_bank_conflict)
    .follows("shared_tree")
    .lesson(
        "The stride starts from the top: neighbouring threads use neighbouring cells, and whole warps rest. The "
        "tutorial names the step after bank conflicts, of which the tree before it has none either (counted). "
        "Two per cent: the tree is a small part of the whole.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .tunable("threads", {256, 128, 512}, both(rules::power_of_two, rules::block_size))
    .tunable("blocks", {32, 132, 264}, rules::positive)
    .answers_on_host()
    .additions(additions_with_trees)
    .cost(cost_of_block_sums)
    .published(card, published_n, ScalarType::int32, 137e3, "cycles")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      return finished_on_host<T>(no_bank_conflict<T>, problem, a_sum_a_block(t), scratch);
    });

// ------------------------------------------------------------------------------------- unrolled_tree

/// Written out for 256 threads, barriers and all.
template <typename T>
__global__ void unrolled_tree(T* results, const T* x, std::int64_t n, BlockTimes* times) {
  note_start(times);
  T* sums = own_sums_in_shared_memory(x, n);
  const unsigned id = threadIdx.x;
  if (id < 128) sums[id] = added(sums[id], sums[id + 128]);
  __syncthreads();
  if (id < 64) sums[id] = added(sums[id], sums[id + 64]);
  __syncthreads();
  if (id < 32) sums[id] = added(sums[id], sums[id + 32]);
  __syncthreads();
  if (id < 16) sums[id] = added(sums[id], sums[id + 16]);
  __syncthreads();
  if (id < 8) sums[id] = added(sums[id], sums[id + 8]);
  __syncthreads();
  if (id < 4) sums[id] = added(sums[id], sums[id + 4]);
  __syncthreads();
  if (id < 2) sums[id] = added(sums[id], sums[id + 2]);
  __syncthreads();
  if (id == 0) results[blockIdx.x] = added(sums[0], sums[1]);
  note_end(times);
}

TALLY_VARIANT(SumOfSquares, geforce_8800gt, unrolled_tree)
    .follows("no_bank_conflict")
    .lesson(
        "The loop written out: no counter, no comparison for its end. What is left is the memory's own speed, "
        "44 of the card's 57.6 GB/s, and no tree can change that.")
    .source(tutorial)
    .types<std::int32_t, float, double>()
    .tunable("threads", {256}, rules::one_of({256}))
    .tunable("blocks", {32, 132, 264}, rules::positive)
    .answers_on_host()
    .additions(additions_with_trees)
    .cost(cost_of_block_sums)
    .published(card, published_n, ScalarType::int32, 136e3, "cycles")
    .published(card, published_n, ScalarType::int32, 44, "GB/s")
    .prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) {
      return finished_on_host<T>(unrolled_tree<T>, problem, a_sum_a_block(t), scratch);
    });

}  // namespace
}  // namespace tally
