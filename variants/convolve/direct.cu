/// Direct one-dimensional convolution, one output a thread.
///
///   global         signal and taps from global memory, and a test at every tap whether the signal is there
///   constant_taps  taps in constant memory, the block's stretch of the signal in shared memory
///
/// The source shows the first kernel and calls the second by name; it is written here from what the call
/// gives away: taps copied to a constant symbol within the timed call, a tile in dynamic shared memory. The
/// plain algorithm stands in harness/problems/convolve.h.
#include <algorithm>
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/convolve.h"

namespace tally {
namespace {

constexpr const char* notes = "Notes on GPU performance: convolve";

std::int64_t outputs_of(const ProblemKey& key) { return key.n + key.integer("taps") - 1; }

/// Every output is one chain, a tap after the other.
double a_tap_after_the_other(const ProblemKey& key, const Tuning&) {
  return static_cast<double>(std::min(key.n, key.integer("taps")));
}

// -------------------------------------------------------------------------------------------- global

template <typename T>
__global__ void global(T* out, const T* a, const T* b, std::int64_t n, std::int64_t taps) {
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= n + taps - 1) return;
  T sum = 0;
  for (std::int64_t m = 0; m < taps; ++m) {
    const std::int64_t k = t - m;
    if (0 <= k && k < n) sum += a[k] * b[m];
  }
  out[t] = sum;
}

TALLY_VARIANT(Convolve, direct, global)
    .lesson(
        "One output a thread, as the formula has it: two loads for every multiplication. The caches make it "
        "bearable, since neighbours read the same; the loads still are what a thread waits for.")
    .source(notes)
    .types<float, double>()
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .additions(a_tap_after_the_other)
    .cost([](const ProblemKey& key, const Tuning&) {
      const auto element = static_cast<double>(size_of(key.type));
      const double pairs = static_cast<double>(key.n) * static_cast<double>(key.integer("taps"));
      return Cost{.bytes_read = 2 * pairs * element,
                  .bytes_written = static_cast<double>(outputs_of(key)) * element};
    })
    .prepare([]<typename T>(Convolve<T> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(global<T>, {(problem.outputs() + threads - 1) / threads, threads}, problem.out, problem.a,
                 problem.b, problem.n, problem.taps);
      };
    });

// ------------------------------------------------------------------------------------- constant_taps

/// Half of what a GPU has, so that other kernels of the program have room for theirs.
constexpr std::int64_t constant_bytes = 32 * 1024;
__constant__ __align__(16) unsigned char constant_memory[constant_bytes];

/// A block's outputs need its own stretch of the signal and the taps - 1 elements before it. All lanes of
/// a warp read the same tap at the same time, which is what constant memory is fast at.
template <typename T>
__global__ void constant_taps(T* out, const T* a, std::int64_t n, std::int64_t taps) {
  T* tile = dynamic_shared<T>();
  const T* b = reinterpret_cast<const T*>(constant_memory);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x - (taps - 1);
  for (std::int64_t i = threadIdx.x; i < blockDim.x + taps - 1; i += blockDim.x) {
    const std::int64_t k = first + i;
    tile[i] = 0 <= k && k < n ? a[k] : T(0);
  }
  __syncthreads();
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= n + taps - 1) return;
  const T* newest = tile + threadIdx.x + taps - 1;
  T sum = 0;
  for (int m = 0; m < static_cast<int>(taps); ++m) sum += newest[-m] * b[m];
  out[t] = sum;
}

/// Queues the copy. On the CPU executor constant memory is an array like any other, and calls are not queued.
void copy_to_constant_memory(Queue& q, const void* source, std::int64_t bytes) {
#if defined(__CUDACC__)
  require(cudaMemcpyToSymbolAsync(constant_memory, source, static_cast<std::size_t>(bytes), 0,
                                  cudaMemcpyDeviceToDevice, q.stream()),
          "cudaMemcpyToSymbolAsync(constant_memory)");
#else
  static_cast<void>(q);
  std::memcpy(constant_memory, source, static_cast<std::size_t>(bytes));
#endif
}

TALLY_VARIANT(Convolve, direct, constant_taps)
    .follows("global")
    .lesson(
        "Taps come from the constant cache, one for a whole warp, and each element of the signal comes from "
        "global memory once a block: what is left is one shared load for each multiplication. It holds for "
        "as many taps as the cache does: 64 taps are three times as fast as from global memory (H200, 2^24), "
        "1,024 taps four times slower, since warps that are not in step throw one another's taps out.")
    .source(notes)
    .types<float, double>()
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .needs("needs taps that fit in 32 KiB of constant memory",
           [](const ProblemKey& key, const Tuning&) {
             return key.integer("taps") * static_cast<std::int64_t>(size_of(key.type)) <= constant_bytes;
           })
    .additions(a_tap_after_the_other)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto element = static_cast<double>(size_of(key.type));
      const std::int64_t before = key.integer("taps") - 1;
      double loads = 0;
      for (std::int64_t first = 0; first < outputs_of(key); first += t["threads"]) {
        const std::int64_t begin = std::max<std::int64_t>(first - before, 0);
        const std::int64_t end = std::min(first + t["threads"], key.n);
        loads += static_cast<double>(std::max<std::int64_t>(end - begin, 0));
      }
      return Cost{.bytes_read = loads * element,
                  .bytes_written = static_cast<double>(outputs_of(key)) * element};
    })
    .prepare([]<typename T>(Convolve<T> problem, const Tuning& t, Scratch&) {
      const std::int64_t threads = t["threads"];
      const std::int64_t tile_bytes = (threads + problem.taps - 1) * std::int64_t{sizeof(T)};
      return [=](Queue& q) {
        copy_to_constant_memory(q, problem.b, problem.taps * std::int64_t{sizeof(T)});
        q.launch(constant_taps<T>, {(problem.outputs() + threads - 1) / threads, threads, tile_bytes},
                 problem.out, problem.a, problem.n, problem.taps);
      };
    });

}  // namespace
}  // namespace tally
