/// Our own scans that need a Hopper GPU, one idea at a time, and the choice between all. The kernels are
/// those of best/, which are written to be copied into any program; here they are put to the same questions
/// as everything else.
///
///   tagged_slots         what tiles tell one another carries the call's tag: no clearing before the launch
///   programmatic_launch  the same, resident before the kernel in front has ended
///   bulk_tiles           tiles in shared memory, moved in and out by the bulk copy engine
///   best                 by size and width of element, from the table that a tuning run made (best/tuned.h)
///   best_deterministic   the same, by the name that says what it promises
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

#include "variants/scan/best/plan.h"
#include "variants/scan/best/window.h"

#if defined(__CUDACC__)
#include "variants/scan/best.cuh"
#endif

namespace tally {
namespace {

constexpr const char* own = "Tally's own";
constexpr const char* no_hopper = "inline PTX for Hopper GPUs: bulk copies, 16-byte atomic accesses";
constexpr int hopper_capability = 90;

using tally_scan::Kernel;
using tally_scan::Way;

constexpr Kernel in_registers{Way::registers, 256, 4, 4};
constexpr Kernel in_bulk{Way::bulk, 128, 11, 8};

#if defined(__CUDACC__)

/// The timed call of best/'s `kernel`.
template <Kernel kernel, typename T>
auto always(const Scan<T>& problem, Scratch& scratch, bool programmatic) {
  using namespace tally_scan::detail;
  const std::int64_t tiles = tally_scan::detail::tiles_of<T>(kernel, problem.n);
  auto* slots = scratch.array<Slot>(count_of_slots(tiles, kernel.near));
  return [=](Queue& q) {
    const Call<T> call{problem.x, problem.out, problem.n, slots, q.stream(), programmatic};
    require(problem.inclusive ? launch_kernel<T, true, kernel>(call) : launch_kernel<T, false, kernel>(call),
            "kernel launch");
  };
}

/// The timed call of best.cuh, as its users make it.
template <typename T>
auto best_of(const Scan<T>& problem, Scratch& scratch) {
  std::size_t bytes = 0;
  require(tally_scan::inclusive_sum(nullptr, bytes, problem.x, problem.out, problem.n),
          "tally_scan: size of the storage");
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](Queue& q) {
    std::size_t size = bytes;
    require(problem.inclusive
                ? tally_scan::inclusive_sum(storage, size, problem.x, problem.out, problem.n, q.stream())
                : tally_scan::exclusive_sum(storage, size, problem.x, problem.out, problem.n, q.stream()),
            "tally_scan");
  };
}
#endif

/// Along a thread's words, over its warp and its block, over a window of tiles, and along the prefixes of
/// groups, each of which adds to the last but one.
double additions_of(const Kernel& kernel, const ProblemKey& key) {
  const auto element = static_cast<std::int64_t>(size_of(key.type));
  const std::int64_t tiles = tally_scan::tiles_for(kernel, key.n * element);
  const std::int64_t of_thread = kernel.words * (tally_scan::bytes_of_word / element);
  constexpr std::int64_t of_lanes = 5;
  const std::int64_t of_window = kernel.near + of_lanes + 1;
  const std::int64_t steps = tiles / tally_scan::detail::tiles_of_group(kernel.near) / 2 + 1;
  return static_cast<double>(of_thread + kernel.words + 2 * of_lanes + 3 + steps * of_window);
}

template <Kernel kernel>
double additions_with(const ProblemKey& key, const Tuning&) {
  return additions_of(kernel, key);
}

double additions_of_best(const ProblemKey& key, const Tuning&) {
  const std::size_t element = size_of(key.type);
  return additions_of(tally_scan::kernel_for(element, key.n * static_cast<std::int64_t>(element)), key);
}

Cost cost_of_one_launch(const ProblemKey& key, const Tuning&) {
  const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  return {.bytes_read = array, .bytes_written = array};
}

// -------------------------------------------------------------------------------------- tagged_slots

TALLY_VARIANT(Scan, hopper, tagged_slots)
    .follows("fixed_look_back")
    .lesson(
        "A value and the tag of this call go out as one 16-byte store. Who sees the tag has the value, and what an "
        "earlier call left bears another tag: nothing has to be cleared, and the whole scan is one launch.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions_with<in_registers>)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch& scratch) { return always<in_registers>(problem, scratch, false);
    }));

// ------------------------------------------------------------------------------- programmatic_launch

TALLY_VARIANT(Scan, hopper, programmatic_launch)
    .follows("tagged_slots")
    .lesson(
        "The launch may become resident while the kernel before it still runs, and waits inside for that one's "
        "end: in a stream of calls, the launch of each is paid for by the one before. A lone call gains nothing.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions_with<in_registers>)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch& scratch) { return always<in_registers>(problem, scratch, true);
    }));

// ---------------------------------------------------------------------------------------- bulk_tiles

TALLY_VARIANT(Scan, hopper, bulk_tiles)
    .follows("programmatic_launch")
    .lesson(
        "The tile lies in shared memory as it does in global memory, brought and taken by the bulk copy engine. "
        "Each thread has an odd number of neighbouring words of it, so that no two meet in a bank: one serial sum a "
        "thread and one scan a warp, no transposition, few registers, and ten tiles of 22 KB under way in every "
        "multiprocessor.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions_with<in_bulk>)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch& scratch) { return always<in_bulk>(problem, scratch, true);
    }));

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(Scan, hopper, best)
    .follows("bulk_tiles")
    .lesson(
        "What a program would use (best.cuh): tiles in registers or in shared memory, by the number of bytes and "
        "the width of an element.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions_of_best)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch& scratch) { return best_of(problem, scratch);
    }));

TALLY_VARIANT(Scan, hopper, best_deterministic)
    .follows("best")
    .lesson(
        "Bitwise the same for a given n and type, whatever else runs. With windows of fixed shape this costs nothing: it "
        "is `best`.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions_of_best)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(Scan<T> problem, const Tuning&, Scratch& scratch) { return best_of(problem, scratch);
    }));

}  // namespace
}  // namespace tally
