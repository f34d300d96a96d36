/// An empty kernel, a reading and a copying one, in the forms that harness/device/cuda/ceilings.cu tries.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "tests/calibration/calibration.h"

namespace tally {
namespace {

constexpr int ints_of_word = 4;

__global__ void nothing() {}

/// The int4 words of this thread, `in_flight` of them asked for before the first is used; the grid reads one
/// contiguous stretch at any moment.
template <int in_flight, typename Use>
__device__ void for_each_word(const std::int32_t* x, std::int64_t n, Use use) {
  const auto* words = reinterpret_cast<const int4*>(x);
  const std::int64_t count = n / ints_of_word;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x * in_flight;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * in_flight + threadIdx.x;
       i < count; i += stride) {
    int4 word[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const std::int64_t at = i + static_cast<std::int64_t>(k) * blockDim.x;
      if (at < count) word[k] = __ldcg(words + at);
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const std::int64_t at = i + static_cast<std::int64_t>(k) * blockDim.x;
      if (at < count) use(at, word[k]);
    }
  }
}

template <int in_flight>
__global__ void read(std::int32_t* sums, const std::int32_t* x, std::int64_t n) {
  unsigned sum = 0;
  for_each_word<in_flight>(x, n, [&sum](std::int64_t, int4 word) {
    sum += static_cast<unsigned>(word.x) + static_cast<unsigned>(word.y) + static_cast<unsigned>(word.z) +
           static_cast<unsigned>(word.w);
  });
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread % 32 == 0) sums[thread / 32] = static_cast<std::int32_t>(sum);
  for (std::int64_t i = threads / 32 + thread; i < calibration_sums; i += threads) sums[i] = 0;
}

template <int in_flight>
__global__ void copy(std::int32_t* out, const std::int32_t* x, std::int64_t n) {
  for_each_word<in_flight>(x, n,
                           [out](std::int64_t at, int4 word) { reinterpret_cast<int4*>(out)[at] = word; });
}

const auto whole_words = [](const ProblemKey& key, const Tuning&) { return key.n % ints_of_word == 0; };
constexpr const char* only_whole_words = "needs n that is a multiple of 4";

TALLY_VARIANT(Calibration, kernels, nothing)
    .lesson("A launch, and no more.")
    .types<std::int32_t>()
    .prepare([]<typename T>(Calibration<T, Nothing>, const Tuning&, Scratch&) {
      return [](Queue& q) { q.launch(nothing, {1, 32}); };
    });

TALLY_VARIANT(Calibration, kernels, read)
    .lesson("Reads every word once.")
    .types<std::int32_t>()
    .tunable("threads", {256, 512, 1024}, rules::one_of({256, 512, 1024}))
    .tunable("blocks", {1056, 528, 264}, rules::positive)
    .tuning_needs("needs at most 65536 warps: as many sums as there are",
                  [](const Tuning& t) { return t["threads"] * t["blocks"] / 32 <= calibration_sums; })
    .tunable("in_flight", {4, 8}, rules::one_of({4, 8}))
    .needs(only_whole_words, whole_words)
    .prepare([]<typename T>(Calibration<T, Read> problem, const Tuning& t, Scratch&) {
      return [=, blocks = t["blocks"], threads = t["threads"], in_flight = t["in_flight"]](Queue& q) {
        q.launch(in_flight == 4 ? read<4> : read<8>, {blocks, threads}, problem.out, problem.x, problem.n);
      };
    });

TALLY_VARIANT(Calibration, kernels, copy)
    .lesson("Copies every word once.")
    .types<std::int32_t>()
    .tunable("threads", {256, 512, 1024}, rules::one_of({256, 512, 1024}))
    .tunable("blocks", {1056, 528, 264}, rules::positive)
    .tunable("in_flight", {4, 8}, rules::one_of({4, 8}))
    .needs(only_whole_words, whole_words)
    .prepare([]<typename T>(Calibration<T, Copy> problem, const Tuning& t, Scratch&) {
      return [=, blocks = t["blocks"], threads = t["threads"], in_flight = t["in_flight"]](Queue& q) {
        q.launch(in_flight == 4 ? copy<4> : copy<8>, {blocks, threads}, problem.out, problem.x, problem.n);
      };
    });

TALLY_VARIANT(Calibration, driver, copy)
    .lesson("The driver's own copy.")
    .types<std::int32_t>()
    .prepare([]<typename T>(Calibration<T, Copy> problem, const Tuning&, Scratch&) {
      return
          [=](Queue& q) { q.copy(problem.out, problem.x, static_cast<std::size_t>(problem.n) * sizeof(T)); };
    });

}  // namespace
}  // namespace tally
