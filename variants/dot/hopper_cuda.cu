/// Our own dot products that need a Hopper GPU, one idea at a time, and the choice between all. The kernels
/// are those of best/, which are written to be copied into any program; here they are put to the same
/// questions as everything else.
///
///   tagged_slots         partial results that carry the call's tag: no counter, no fence, no state to reset
///   programmatic_launch  the same, resident before the kernel in front has ended
///   tma_bulk             loads by the bulk copy engine into a ring of shared memory
///   best                 by size, from the table that a tuning run made (best/tuned.h)
///   best_deterministic   the same, by the name that says what it promises
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

#if defined(__CUDACC__)
#include "variants/dot/best.cuh"
#endif

namespace tally {
namespace {

constexpr const char* own = "Tally's own";
constexpr const char* no_hopper = "inline PTX for Hopper GPUs: bulk copies, 16-byte atomic accesses";

#if defined(__CUDACC__)
using tally_dot::Kernel;
using tally_dot::Way;

constexpr Kernel stays{Way::blocks, 256, 4};
constexpr Kernel copies{Way::copies, 256, 3, 16 * 1024};

/// The timed call of best/'s `kernel` with so many blocks of each multiprocessor. Where the arrays lie
/// otherwise, nothing can be copied in bulk: the blocks load then.
template <Kernel kernel, typename T, typename Answer>
auto always(const Dot<T, Answer>& problem, Scratch& scratch, int of_each_multiprocessor, bool programmatic) {
  using tally_dot::detail::launch_kernel;
  using tally_dot::detail::Slot;
  const bool shifted = tally_dot::pairs_of(problem.x, problem.y, problem.n).shift != 0;
  const Kernel taken = shifted ? stays : kernel;
  const tally_dot::Pairs pairs = tally_dot::pairs_of(problem.x, problem.y, problem.n, taken.boundary());
  const tally_dot::Plan plan = tally_reduce::plan_of({tally_dot::any_size, taken, of_each_multiprocessor},
                                                     pairs.x.words, scratch.device().multiprocessors);
  const tally_dot::detail::Slots slots{scratch.array<Slot>(plan.slots() + 1)};
  return [=](Queue& q) {
    const tally_dot::detail::Call<T, Answer> call{pairs, plan, slots, problem.out, q.stream(), programmatic};
    require(
        shifted ? launch_kernel<T, Answer, stays, true>(call) : launch_kernel<T, Answer, kernel, false>(call),
        "kernel launch");
  };
}

/// The timed call of best.cuh, as its users make it.
auto best_of(Scratch& scratch, auto dot) {
  std::size_t bytes = 0;
  require(dot(nullptr, bytes, cudaStream_t{}), "tally_dot: size of the storage");
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](Queue& q) {
    std::size_t size = bytes;
    require(dot(storage, size, q.stream()), "tally_dot");
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
  const ScalarType answer = key.text("accumulate") == "wide" ? accumulator_of(key.type) : key.type;
  return {.bytes_read = 2 * static_cast<double>(key.n) * static_cast<double>(size_of(key.type)),
          .bytes_written = static_cast<double>(size_of(answer))};
}

// -------------------------------------------------------------------------------------- tagged_slots

TALLY_VARIANT(Dot, hopper, tagged_slots)
    .follows("one_launch_ticket")
    .lesson(
        "A block's result and the tag of this call go out as one 16-byte store; the block that the hardware starts "
        "last reads the slots until all bear the tag. No ticket, no fence, no state that must be zero before. Where "
        "y lies otherwise than x, a word of y is put together from two lanes' words, so that all loads stay sixteen "
        "bytes.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("blocks_of_multiprocessor", {2, 1, 4}, rules::between(1, 4))
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning& t, Scratch& scratch) {
      return always<stays>(problem, scratch, static_cast<int>(t["blocks_of_multiprocessor"]), false);
    }));

// ------------------------------------------------------------------------------- programmatic_launch

TALLY_VARIANT(Dot, hopper, programmatic_launch)
    .follows("tagged_slots")
    .lesson(
        "The launch may become resident while the kernel before it still runs, and waits inside for that one's "
        "end: in a stream of calls, the launch of each is paid for by the one before. A lone call gains nothing.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("blocks_of_multiprocessor", {2, 1, 4}, rules::between(1, 4))
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning& t, Scratch& scratch) {
      return always<stays>(problem, scratch, static_cast<int>(t["blocks_of_multiprocessor"]), true);
    }));

// ------------------------------------------------------------------------------------------ tma_bulk

TALLY_VARIANT(Dot, hopper, tma_bulk)
    .follows("programmatic_launch")
    .lesson(
        "One thread asks the bulk copy engine for 16 KB of each array at a time, three requests ahead, in two blocks a "
        "multiprocessor. For arrays far beyond the L2 cache; the ring costs more than it gives below.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
        TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning&, Scratch& scratch) { return always<copies>(problem, scratch, 2, true);
    }));

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(Dot, hopper, best)
    .follows("tma_bulk")
    .lesson(
        "What a program would use (best.cuh): one block, a tile a block, or blocks that stay, by the number of bytes.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning&, Scratch& scratch) {
      return best_of(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return tally_dot::dot(storage, bytes, problem.x, problem.y, problem.out, problem.n, stream);
      });
    }));

TALLY_VARIANT(Dot, hopper, best_deterministic)
    .follows("best")
    .lesson(
        "Bitwise the same for a given n, type, alignment and GPU, whatever else runs. With tagged slots this costs "
        "nothing: it is `best`.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Answer>(Dot<T, Answer> problem, const Tuning&, Scratch& scratch) {
      return best_of(scratch, [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return tally_dot::dot_deterministic(storage, bytes, problem.x, problem.y, problem.out, problem.n, stream);
      });
    }));

}  // namespace
}  // namespace tally
