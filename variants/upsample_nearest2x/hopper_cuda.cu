/// Our own upsampling by two and its gradient as a program would call them. The kernels are those of best/,
/// which are written to be copied into any program; here they are put to the same questions as everything
/// else.
///
///   programmatic_launch  resident before the kernel in front has ended
///   best                 by bytes, from the tables that a tuning run made (best/tuned.h)
#include <type_traits>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"

#if defined(__CUDACC__)
#include "variants/upsample_nearest2x/best.cuh"
#endif

namespace tally {
namespace {

constexpr const char* own = "Tally's own";
constexpr const char* no_hopper = "inline PTX for Hopper GPUs: programmatic launches";
constexpr int hopper_capability = 90;

#if defined(__CUDACC__)
/// The timed call of best/'s kernel of that shape.
template <tally_upsample::Kernel kernel, typename T, typename Direction>
auto always(const UpsampleNearest2x<T, Direction>& p) {
  const tally_upsample::Images images{p.width == 0 ? 0 : p.elements / p.width, p.width,
                                      static_cast<int>(sizeof(T))};
  return [=](Queue& q) {
    require(tally_upsample::detail::launch_kernel<T, std::is_same_v<Direction, Forward>, kernel>(
                images, p.in, p.out, q.stream()),
            "kernel launch");
  };
}

template <typename T>
auto best_of(const UpsampleNearest2x<T, Forward>& p, std::int64_t images) {
  return [=](Queue& q) {
    require(tally_upsample::upsample_nearest2x(p.in, p.out, images, p.height, p.width, q.stream()),
            "tally_upsample::upsample_nearest2x");
  };
}

template <typename T>
auto best_of(const UpsampleNearest2x<T, Backward>& p, std::int64_t images) {
  return [=](Queue& q) {
    require(tally_upsample::upsample_nearest2x_backward(p.in, p.out, images, p.height, p.width, q.stream()),
            "tally_upsample::upsample_nearest2x_backward");
  };
}
#endif

double additions(const ProblemKey& key, const Tuning&) {
  return key.text("direction") == Backward::name ? 3.0 : 0.0;
}

Cost cost_of_one_pass(const ProblemKey& key, const Tuning&) {
  const double small = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  const bool forward = key.text("direction") == Forward::name;
  return {.bytes_read = (forward ? 1 : 4) * small, .bytes_written = (forward ? 4 : 1) * small};
}

// ------------------------------------------------------------------------------- programmatic_launch

TALLY_VARIANT(UpsampleNearest2x, hopper, programmatic_launch)
    .follows("wide_pieces")
    .lesson(
        "The launch may become resident while the kernel before it still runs, and waits inside for that one's "
        "end: in a stream of calls, the launch of each is paid for by the one before. A lone call gains nothing.")
    .source(own)
    .types<float, half>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_pass)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> problem, const Tuning&, Scratch&) { return always<tally_upsample::Kernel{256, 1, 8}>(problem);
    }));

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(UpsampleNearest2x, hopper, best)
    .follows("programmatic_launch")
    .lesson("What a program would use (best.cuh): pieces, tiles and hints by direction and number of bytes.")
    .source(own)
    .types<float, half>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_pass)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> problem, const Tuning&, Scratch&) {
      const std::int64_t image = problem.height * problem.width;
      return best_of(problem, image == 0 ? 0 : problem.elements / image);
    }));

}  // namespace
}  // namespace tally
