/// Our own sums of squares that need a Hopper GPU: the reductions of variants/reduce/best.cuh with another
/// term. What each idea is worth is measured there; here is what squaring costs on top, which ought to be
/// nothing.
///
///   tagged_slots         partial results that carry the call's tag: no counter, no fence, no state to reset
///   programmatic_launch  the same, resident before the kernel in front has ended
///   best                 by size, from the table that a tuning run made (variants/reduce/best/tuned.h)
///   best_deterministic   the same, by the name that says what it promises
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/sum_of_squares.h"

#if defined(__CUDACC__)
#include "variants/reduce/best.cuh"
#endif

namespace tally {
namespace {

constexpr const char* own = "Tally's own";
constexpr const char* no_hopper = "inline PTX for Hopper GPUs: 16-byte atomic accesses";

#if defined(__CUDACC__)
/// The timed call of blocks that stay, so many of each multiprocessor.
template <typename T>
auto blocks_that_stay(const SumOfSquares<T>& problem, const Tuning& t, Scratch& scratch, bool programmatic) {
  using tally_reduce::detail::Slot;
  constexpr tally_reduce::Kernel kernel{tally_reduce::Way::blocks, 256, 8};
  const tally_reduce::Spans spans = tally_reduce::spans_of(problem.x, problem.n);
  const auto blocks = static_cast<int>(t["blocks_of_multiprocessor"]);
  const tally_reduce::Plan plan = tally_reduce::plan_of({tally_reduce::any_size, kernel, blocks}, spans.words,
                                                        scratch.device().multiprocessors);
  const tally_reduce::detail::Slots slots{scratch.array<Slot>(plan.slots() + 1)};
  return [=](Queue& q) {
    const tally_reduce::detail::Call<T> call{spans, plan, slots, problem.out, T(1), q.stream(), programmatic};
    require(tally_reduce::detail::launch_kernel<T, tally_reduce::SumOfSquares, kernel>(call),
            "kernel launch");
  };
}

/// The timed call of best.cuh, as its users make it.
auto best_of(Scratch& scratch, auto reduce) {
  std::size_t bytes = 0;
  require(reduce(nullptr, bytes, cudaStream_t{}), "tally_reduce: size of the storage");
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](Queue& q) {
    std::size_t size = bytes;
    require(reduce(storage, size, q.stream()), "tally_reduce");
  };
}
#endif

constexpr int hopper_capability = 90;

/// What a thread adds up, at least 100 blocks of 256 threads sharing large arrays; then trees, and at most
/// eight slots a thread.
double additions(const ProblemKey& key, const Tuning&) {
  constexpr double threads = 100.0 * 256;
  const auto width = 16.0 / static_cast<double>(size_of(key.type));
  return static_cast<double>(key.n) / threads + 32 * width + 32;
}

Cost cost_of_one_launch(const ProblemKey& key, const Tuning&) {
  const auto element = static_cast<double>(size_of(key.type));
  return {.bytes_read = static_cast<double>(key.n) * element, .bytes_written = element};
}

// -------------------------------------------------------------------------------------- tagged_slots

TALLY_VARIANT(SumOfSquares, hopper, tagged_slots)
    .follows("one_launch_ticket")
    .lesson(
        "A block's result and the tag of this call go out as one 16-byte store; the block that the hardware starts "
        "last reads the slots until all bear the tag. No ticket, no fence, no state that must be zero before.")
    .source(own)
    .types<std::int32_t, float, double>()
    .tunable("blocks_of_multiprocessor", {2, 1, 4}, rules::between(1, 4))
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) { return blocks_that_stay(problem, t, scratch, false);
    }));

// ------------------------------------------------------------------------------- programmatic_launch

TALLY_VARIANT(SumOfSquares, hopper, programmatic_launch)
    .follows("tagged_slots")
    .lesson(
        "The launch may become resident while the kernel before it still runs, and waits inside for that one's "
        "end: in a stream of calls, the launch of each is paid for by the one before. A lone call gains nothing.")
    .source(own)
    .types<std::int32_t, float, double>()
    .tunable("blocks_of_multiprocessor", {2, 1, 4}, rules::between(1, 4))
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T>(SumOfSquares<T> problem, const Tuning& t, Scratch& scratch) { return blocks_that_stay(problem, t, scratch, true);
    }));

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(SumOfSquares, hopper, best)
    .follows("programmatic_launch")
    .lesson(
        "What a program would use (variants/reduce/best.cuh with SumOfSquares): one block, a tile a block, or blocks "
        "that stay, by the number of bytes.")
    .source(own)
    .types<std::int32_t, float, double>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      return best_of(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return tally_reduce::reduce(storage, bytes, problem.x, problem.out, problem.n, tally_reduce::SumOfSquares(),
                                    stream);
      });
    }));

TALLY_VARIANT(SumOfSquares, hopper, best_deterministic)
    .follows("best")
    .lesson(
        "Bitwise the same for a given n, type, alignment and GPU, whatever else runs. With tagged slots this costs "
        "nothing: it is `best`.")
    .source(own)
    .types<std::int32_t, float, double>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T>(SumOfSquares<T> problem, const Tuning&, Scratch& scratch) {
      return best_of(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return tally_reduce::reduce_deterministic(storage, bytes, problem.x, problem.out, problem.n,
                                                  tally_reduce::SumOfSquares(), stream);
      });
    }));

}  // namespace
}  // namespace tally
