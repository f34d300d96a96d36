/// Our own elementwise transforms that need a Hopper GPU, one idea at a time, and the choice between all. The
/// kernels are those of best/, which are written to be copied into any program; here they are put to the same
/// questions as everything else.
///
///   programmatic_launch  resident before the kernel in front has ended
///   tma_bulk             tiles brought into shared memory by the bulk copy engine
///   best                 by bytes, from the table that a tuning run made (best/tuned.h)
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"

#if defined(__CUDACC__)
#include "variants/elementwise/best.cuh"
#endif

namespace tally {
namespace {

constexpr const char* own = "Tally's own";
constexpr const char* no_hopper = "inline PTX for Hopper GPUs: programmatic launches, bulk copies";
constexpr int hopper_capability = 90;

#if defined(__CUDACC__)
using tally_elementwise::Hint;
using tally_elementwise::Kernel;
using tally_elementwise::Next;
using tally_elementwise::Way;

template <typename T, typename Op>
auto inputs_of(const Elementwise<T, Op>& p) {
  if constexpr (Op::inputs == 1) return tally_elementwise::from(p.x);
  if constexpr (Op::inputs == 2) return tally_elementwise::from(p.x, p.y);
  if constexpr (Op::inputs == 3) return tally_elementwise::from(p.x, p.y, p.z);
}

template <Kernel kernel, typename T, typename Op>
void launch(const Elementwise<T, Op>& p, Queue& q) {
  const auto in = inputs_of(p);
  require(tally_elementwise::spans_of(in, p.out, p.n).in_words
              ? tally_elementwise::detail::launch_kernel<kernel>(in, p.out, p.n, p.op, q.stream())
              : tally_elementwise::detail::launch_one_by_one(in, p.out, p.n, p.op, q.stream()),
          "kernel launch");
}

template <typename T, typename Op>
using Launch = void (*)(const Elementwise<T, Op>&, Queue&);

template <typename T, typename Op>
auto always(const Elementwise<T, Op>& p, Launch<T, Op> launch) {
  return [=](Queue& q) { launch(p, q); };
}

constexpr Kernel letting_next(Next next) { return {Way::loads, 256, 1, Hint::none, Hint::none, next}; }

template <typename T, typename Op>
auto programmatic(const Elementwise<T, Op>& p, std::int64_t trigger) {
  return always(p, trigger == 0   ? launch<letting_next(Next::at_once), T, Op>
                   : trigger == 1 ? launch<letting_next(Next::when_loaded), T, Op>
                                  : launch<letting_next(Next::when_stored), T, Op>);
}

template <typename T, typename Op>
auto tma_bulk(const Elementwise<T, Op>& p, std::int64_t words) {
  return always(p, words == 1   ? launch<Kernel{Way::copies, 256, 1}, T, Op>
                   : words == 2 ? launch<Kernel{Way::copies, 256, 2}, T, Op>
                                : launch<Kernel{Way::copies, 256, 4}, T, Op>);
}

template <typename T, typename Op>
auto best_of(const Elementwise<T, Op>& p) {
  return [=](Queue& q) {
    require(tally_elementwise::transform(inputs_of(p), p.out, p.n, p.op, q.stream()),
            "tally_elementwise::transform");
  };
}
#endif

/// n beyond what one launch of best/'s kernels takes; `best` itself makes as many as it needs.
bool fits_one_launch(const ProblemKey& key, const Tuning&) { return key.n <= std::int64_t{1} << 30; }
constexpr const char* one_launch = "needs n of at most 2^30: one launch";

Cost cost_of_one_pass(const ProblemKey& key, const Tuning&) {
  const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  return {.bytes_read = inputs_of_elementwise(key.text("op")) * array, .bytes_written = array};
}

// ------------------------------------------------------------------------------- programmatic_launch

TALLY_VARIANT(Elementwise, hopper, programmatic_launch)
    .follows("vector_loads")
    .lesson(
        "The launch may become resident while the kernel before it still runs, and waits inside for that one's "
        "end: in a stream of calls, the launch of each is paid for by the one before. A lone call gains nothing. "
        "trigger is when a block lets that happen: 0 at once, 1 when its loads are on their way, 2 when its stores "
        "are. Blocks that come too early take places from those that still work.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("trigger", {1, 0, 2}, rules::one_of({0, 1, 2}))
    .needs(one_launch, fits_one_launch)
    .compute_capability(hopper_capability)
    .cost(cost_of_one_pass)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch&) { return programmatic(problem, t["trigger"]);
    }));

// ------------------------------------------------------------------------------------------ tma_bulk

TALLY_VARIANT(Elementwise, hopper, tma_bulk)
    .follows("programmatic_launch")
    .lesson(
        "One thread has the bulk copy engine bring the block's tile of each input into shared memory: one request "
        "in place of hundreds, and no register holds a byte on its way.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("words", {2, 1, 4}, rules::one_of({1, 2, 4}))
    .needs(one_launch, fits_one_launch)
    .compute_capability(hopper_capability)
    .cost(cost_of_one_pass)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch&) { return tma_bulk(problem, t["words"]);
    }));

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(Elementwise, hopper, best)
    .follows("programmatic_launch")
    .lesson("What a program would use (best.cuh): the size of a tile and the hints by the number of bytes.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .compute_capability(hopper_capability)
    .cost(cost_of_one_pass)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning&, Scratch&) { return best_of(problem);
    }));

}  // namespace
}  // namespace tally
