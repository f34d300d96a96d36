/// Our own reductions that need a Hopper GPU, one idea at a time, and the choice between all. The kernels are
/// those of best/, which are written to be copied into any program; here they are put to the same questions
/// as everything else.
///
///   cluster_dsmem        blocks of one cluster leave their sums in one another's shared memory
///   tagged_slots         partial results that carry the call's tag: no counter, no fence, no state to reset
///   programmatic_launch  the same, resident before the kernel in front has ended
///   tma_bulk             loads by the bulk copy engine into a ring of shared memory
///   best                 by size, from the table that a tuning run made (best/tuned.h)
///   best_deterministic   the same, by the name that says what it promises
///   best_to_host         the same, for who waits for the answer: the kernel writes it to the host itself
///   best_replayed        the same call, recorded as a graph: for who sums one array again and again
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

#if defined(__CUDACC__)
#include <memory>

#include "variants/reduce/best.cuh"
#endif

namespace tally {
namespace {

constexpr const char* own = "Tally's own";
constexpr const char* no_hopper =
    "inline PTX for Hopper GPUs: clusters, bulk copies, 16-byte atomic accesses";

#if defined(__CUDACC__)
/// Calls `call` with best/'s operation for the problem's.
template <typename T, typename Op>
auto with_operation(const Reduce<T, Op>& problem, auto call) {
  if constexpr (std::is_same_v<Op, Min<Accumulator<T>>>) {
    call(tally_reduce::Min());
  } else if constexpr (std::is_same_v<Op, Max<Accumulator<T>>>) {
    call(tally_reduce::Max());
  } else if (problem.op.divisor != Accumulator<T>(1)) {
    call(tally_reduce::Mean());
  } else {
    call(tally_reduce::Sum());
  }
}

/// The timed call of best/'s `kernel`, with `of_each_multiprocessor` blocks where blocks stay.
template <tally_reduce::Kernel kernel, typename T, typename Op>
auto always(const Reduce<T, Op>& problem, Scratch& scratch, int of_each_multiprocessor, bool programmatic) {
  using tally_reduce::detail::Slot;
  const tally_reduce::Spans spans = tally_reduce::spans_of(problem.x, problem.n, kernel.boundary());
  const tally_reduce::Plan plan =
      tally_reduce::plan_of({tally_reduce::any_size, kernel, of_each_multiprocessor}, spans.words,
                            scratch.device().multiprocessors);
  const tally_reduce::detail::Slots slots{scratch.array<Slot>(plan.slots() + 1)};
  return [=](Queue& q) {
    with_operation(problem, [&](auto operation) {
      const tally_reduce::detail::Call<T> call{
          spans, plan, slots, problem.out, static_cast<Accumulator<T>>(problem.n), q.stream(), programmatic};
      require(tally_reduce::detail::launch_kernel<T, decltype(operation), kernel>(call), "kernel launch");
    });
  };
}

/// best.cuh as its users call it, with storage of its own: a call that is given a stream.
template <typename T, typename Op>
auto on_stream(const Reduce<T, Op>& problem, Scratch& scratch, auto reduce) {
  std::size_t bytes = 0;
  require(reduce(nullptr, bytes, tally_reduce::Sum(), cudaStream_t{}), "tally_reduce: size of the storage");
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](cudaStream_t stream) {
    with_operation(problem, [&](auto operation) {
      std::size_t size = bytes;
      require(reduce(storage, size, operation, stream), "tally_reduce");
    });
  };
}

/// The timed call of it.
template <typename T, typename Op>
auto best_of(const Reduce<T, Op>& problem, Scratch& scratch, auto reduce) {
  return [call = on_stream(problem, scratch, reduce)](Queue& q) { call(q.stream()); };
}

/// A call that answers to the host, recorded once and launched as a graph of one kernel.
template <typename T, typename Op>
class Recorded {
 public:
  Recorded(const Reduce<T, Op>& problem, Scratch& scratch)
      : through_(scratch.host_array<tally_reduce::HostAnswer<T>>(1)) {
    cudaStream_t stream{};
    cudaGraph_t graph{};
    require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
    const auto call = on_stream(problem, scratch,
                                [&](void* storage, std::size_t& bytes, auto operation, cudaStream_t into) {
                                  return tally_reduce::detail::queue<T, decltype(operation)>(
                                      storage, bytes, problem.x, through_, problem.n, into, false);
                                });
    require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    call(stream);
    require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    require(cudaGraphInstantiate(&call_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  ~Recorded() { cudaGraphExecDestroy(call_); }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

  T answer(cudaStream_t stream) const {
    T answer{};
    through_->clear();
    require(cudaGraphLaunch(call_, stream), "cudaGraphLaunch");
    require(tally_reduce::detail::await_answer(*through_, answer, stream), "tally_reduce");
    return answer;
  }

 private:
  tally_reduce::HostAnswer<T>* through_;
  cudaGraphExec_t call_{};
};

using tally_reduce::Kernel;
using tally_reduce::Way;
#endif

constexpr int hopper_capability = 90;
constexpr std::int64_t bytes_of_cluster = 8 * 256 * 4 * 16;

double bytes_of_input(const ProblemKey& key) {
  return static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
}

/// What a thread adds up, at least 100 blocks of 256 threads sharing large arrays; then trees, and at most
/// eight slots a thread.
double additions(const ProblemKey& key, const Tuning&) {
  constexpr double threads = 100.0 * 256;
  const auto width = 16.0 / static_cast<double>(size_of(key.type));
  return static_cast<double>(key.n) / threads + 32 * width + 32;
}

/// Without the slots, 16 bytes a block: how many blocks there are depends on the GPU.
Cost cost_of_one_launch(const ProblemKey& key, const Tuning&) {
  return {.bytes_read = bytes_of_input(key),
          .bytes_written = static_cast<double>(size_of(accumulator_of(key.type)))};
}

// ------------------------------------------------------------------------------------- cluster_dsmem

TALLY_VARIANT(Reduce, hopper, cluster_dsmem)
    .lesson(
        "Eight multiprocessors load eight times what one can, and meet without memory between them: each warp "
        "stores its sum into block 0's shared memory. A barrier of the cluster costs a fraction of a trip to "
        "the L2 cache, and there is no state at all.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .needs("needs at most 128 KB: one cluster",
           [](const ProblemKey& key, const Tuning&) {
             return key.n * static_cast<std::int64_t>(size_of(key.type)) <= bytes_of_cluster;
           })
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper) TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) { return always<Kernel{Way::cluster, 256, 4}>(problem, scratch, 0, false);
    }));

// -------------------------------------------------------------------------------------- tagged_slots

TALLY_VARIANT(Reduce, hopper, tagged_slots)
    .follows("atomic_self_resetting")
    .lesson(
        "A block's result and the tag of this call go out as one 16-byte store; the block that the hardware "
        "starts last reads the slots until all bear the tag. One trip to the L2 cache in place of two or three, no "
        "fence, no state that must be zero before, and the results are added in the order of the blocks: as "
        "fast as atomics, and the same bits every time.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("blocks_of_multiprocessor", {2, 1, 4}, rules::between(1, 4))
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      const auto blocks = static_cast<int>(t["blocks_of_multiprocessor"]);
      return always<Kernel{Way::blocks, 512, 4}>(problem, scratch, blocks, false);
    }));

// ------------------------------------------------------------------------------- programmatic_launch

TALLY_VARIANT(Reduce, hopper, programmatic_launch)
    .follows("tagged_slots")
    .lesson(
        "The launch may become resident while the kernel before it still runs, and waits inside for that one's "
        "end: in a stream of calls, the launch of each is paid for by the one before. A lone call gains nothing.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .tunable("blocks_of_multiprocessor", {2, 1, 4}, rules::between(1, 4))
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning& t, Scratch& scratch) {
      const auto blocks = static_cast<int>(t["blocks_of_multiprocessor"]);
      return always<Kernel{Way::blocks, 512, 4}>(problem, scratch, blocks, true);
    }));

// ------------------------------------------------------------------------------------------ tma_bulk

TALLY_VARIANT(Reduce, hopper, tma_bulk)
    .follows("programmatic_launch")
    .lesson(
        "One thread asks the bulk copy engine for 32 KB at a time, six requests ahead: 192 KB on their way into "
        "every multiprocessor, whatever registers and warps there are. For arrays far beyond the L2 cache; the "
        "ring costs more than it gives below.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) {
      return always<Kernel{Way::copies, 256, 6, 32 * 1024}>(problem, scratch, 1, true);
    }));

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(Reduce, hopper, best)
    .follows("tma_bulk")
    .lesson(
        "What a program would use (best.cuh): one block, a tile a block, or blocks that stay, by the number of "
        "bytes.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) {
      return best_of(problem, scratch, [=](void* storage, std::size_t& bytes, auto operation, cudaStream_t stream) {
        return tally_reduce::reduce(storage, bytes, problem.x, problem.out, problem.n, operation, stream);
      });
    }));

TALLY_VARIANT(Reduce, hopper, best_deterministic)
    .follows("best")
    .lesson(
        "Bitwise the same for a given n, type and GPU, whatever else runs. With tagged slots this costs nothing: "
        "it is `best`.")
    .source(own)
    .types<float, double, half, bfloat16, std::int8_t, std::int32_t, std::int64_t>()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) {
      return best_of(problem, scratch, [=](void* storage, std::size_t& bytes, auto operation, cudaStream_t stream) {
        return tally_reduce::reduce_deterministic(storage, bytes, problem.x, problem.out, problem.n, operation,
                                                  stream);
      });
    }));

TALLY_VARIANT(Reduce, hopper, best_to_host)
    .follows("best_deterministic")
    .lesson(
        "The kernel writes the answer into page-locked host memory, where the host watches for it: no copy behind "
        "the kernel, no wait for the stream. Of a short sum that is a third to a half of the time from the call "
        "to the answer.")
    .source(own)
    .types<float, double, std::int32_t>()
    .answers_on_host()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) {
      auto* through = scratch.host_array<tally_reduce::HostAnswer<T>>(1);
      return best_of(problem, scratch, [=](void* storage, std::size_t& bytes, auto operation, cudaStream_t stream) {
        T answer{};
        const cudaError_t status = tally_reduce::reduce_to_host(storage, bytes, problem.x, through, answer,
                                                                problem.n, operation, stream);
        if (storage != nullptr) *problem.host_out = answer;
        return status;
      });
    }));

TALLY_VARIANT(Reduce, hopper, best_replayed)
    .follows("best_to_host")
    .lesson(
        "The same call, recorded as a graph of one kernel while it is set up, and replayed: its arguments are on the "
        "GPU already, and the host is done with a launch sooner. For who sums one array again and again.")
    .source(own)
    .types<float, double, std::int32_t>()
    .answers_on_host()
    .compute_capability(hopper_capability)
    .additions(additions)
    .cost(cost_of_one_launch)
    .not_on(DeviceKind::simt, no_hopper)
    .not_on(DeviceKind::host, no_hopper)
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Reduce<T, Op> problem, const Tuning&, Scratch& scratch) {
      const auto recorded = std::make_shared<Recorded<T, Op>>(problem, scratch);
      return [=](Queue& q) { *problem.host_out = recorded->answer(q.stream()); };
    }));

}  // namespace
}  // namespace tally
