/// OneFlow's nearest-neighbour upsampling by two: one element of the small images a thread, and the square
/// that belongs to it in two accesses of two elements.
///
///   forward    each value is written to two rows, twice in one access
///   backward   the four gradients of a square, read by two accesses, are added up
///
/// The source counts in 32 bits; here larger images are counted in 64. It is published next to PyTorch's
/// kernels (111.4 and 65.1 µs where OneFlow's take 61.4 and 50.6), which write and read one element at a
/// time.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"

namespace tally {
namespace {

constexpr const char* notes = "Notes on GPU performance: upsample nearest 2D, after OneFlow";
constexpr std::int64_t published_n = 16 * 32 * 80 * 80;

/// Two neighbours of a row, moved in one access. The first of a pair has an even place: it is aligned.
template <typename T>
struct PairOf;
template <>
struct PairOf<float> {
  using type = float2;
};
template <>
struct PairOf<half> {
  using type = half2;
};

/// Where a thread's element is: its image, and its row and column in it, by two divisions as in the source.
/// `pair` is the place of the upper pair of its square, counted in pairs; the lower is one row, `width`
/// pairs, on.
template <typename Index>
__device__ Index upper_pair(Index element, Index height, Index width) {
  const Index image_size = height * width;
  const Index image = element / image_size;
  const Index in_image = element - image * image_size;
  const Index row = in_image / width;
  const Index column = in_image - row * width;
  return image * image_size * 2 + row * 2 * width + column;
}

template <typename Pair, typename T, typename Index>
__global__ void forward(Pair* out, const T* in, Index elements, Index height, Index width) {
  const Index stride = static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x);
  for (Index i =
           static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
       i < elements; i += stride) {
    const T value = in[i];
    Pair pair;
    pair.x = value;
    pair.y = value;
    const Index upper = upper_pair(i, height, width);
    out[upper] = pair;
    out[upper + width] = pair;
  }
}

template <typename Pair, typename T, typename Index>
__global__ void backward(T* out, const Pair* in, Index elements, Index height, Index width) {
  const Index stride = static_cast<Index>(gridDim.x) * static_cast<Index>(blockDim.x);
  for (Index i =
           static_cast<Index>(blockIdx.x) * static_cast<Index>(blockDim.x) + static_cast<Index>(threadIdx.x);
       i < elements; i += stride) {
    const Index at = upper_pair(i, height, width);
    const Pair upper = in[at];
    const Pair lower = in[at + width];
    T sum = upper.x;
    sum += upper.y;
    sum += lower.x;
    sum += lower.y;
    out[i] = sum;
  }
}

Cost cost_of(const ProblemKey& key, double read, double written) {
  const double images = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  return {.bytes_read = read * images, .bytes_written = written * images};
}

/// Launches one thread an element. A stride of the grid beyond the elements must not wrap: 32 bits serve as
/// long as twice the elements fit them, which the large images' indices already ask for.
template <typename Out, typename In, typename P>
auto one_element_a_thread(void (*narrow)(Out*, const In*, std::int32_t, std::int32_t, std::int32_t),
                          void (*wide)(Out*, const In*, std::int64_t, std::int64_t, std::int64_t), P problem,
                          const Tuning& t) {
  return [=, threads = t["threads"]](Queue& q) {
    auto* out = reinterpret_cast<Out*>(problem.out);
    const auto* in = reinterpret_cast<const In*>(problem.in);
    const LaunchShape shape((problem.elements + threads - 1) / threads, threads);
    if (problem.fits_32_bits()) {
      q.launch(narrow, shape, out, in, problem.elements, problem.height, problem.width);
    } else {
      q.launch(wide, shape, out, in, problem.elements, problem.height, problem.width);
    }
  };
}

TALLY_VARIANT(UpsampleNearest2x, oneflow_nearest2x, forward)
    .lesson(
        "The two equal neighbours of a row leave in one access, so that a warp writes whole lines; two "
        "divisions find where.")
    .source(notes)
    .types<float, half>()
    .knob("direction", {"forward"})
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .cost([](const ProblemKey& key, const Tuning&) { return cost_of(key, 1, 4); })
    .published("A100", published_n, ScalarType::float32, 61.4, "us")
    .prepare([]<typename T>(UpsampleNearest2x<T, Forward> problem, const Tuning& t, Scratch&) {
      using Pair = typename PairOf<T>::type;
      return one_element_a_thread<Pair, T>(forward<Pair, T, std::int32_t>, forward<Pair, T, std::int64_t>,
                                           problem, t);
    });

TALLY_VARIANT(UpsampleNearest2x, oneflow_nearest2x, backward)
    .lesson(
        "The same pairs the other way: four gradients by two loads, and no atomics, since each thread owns "
        "its square.")
    .source(notes)
    .types<float, half>()
    .knob("direction", {"backward"})
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .additions([](const ProblemKey&, const Tuning&) { return 3.0; })
    .cost([](const ProblemKey& key, const Tuning&) { return cost_of(key, 4, 1); })
    .published("A100", published_n, ScalarType::float32, 50.6, "us")
    .prepare([]<typename T>(UpsampleNearest2x<T, Backward> problem, const Tuning& t, Scratch&) {
      using Pair = typename PairOf<T>::type;
      return one_element_a_thread<T, Pair>(backward<Pair, T, std::int32_t>, backward<Pair, T, std::int64_t>,
                                           problem, t);
    });

}  // namespace
}  // namespace tally
