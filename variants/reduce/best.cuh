#pragma once

#include <chrono>
#include <utility>

#include "best/bulk.cuh"
#include "best/grid.cuh"
#include "best/launch.cuh"
#include "best/once.cuh"
#include "best/plan.h"

/// A fast reduction for Hopper GPUs (compute capability 9.0), to be copied into any program together with the
/// folder best/. Needs C++20 and CUDA's own headers, nothing else.
///
///   std::size_t bytes = 0;
///   tally_reduce::reduce(nullptr, bytes, x, out, n, tally_reduce::Sum());          // how much storage?
///   cudaMalloc(&storage, bytes);
///   tally_reduce::reduce(storage, bytes, x, out, n, tally_reduce::Sum(), stream);  // out[0] = x[0] + …
namespace tally_reduce {
namespace detail {

/// A tag that the storage does not hold yet: drawn from the clock and the storage's address. Never 0.
inline std::uint64_t draw_tag(const void* storage) {
  auto bits = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  bits ^= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(storage)) << 17;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  bits ^= bits >> 31;
  return bits == 0 ? 1 : bits;
}

template <typename T, typename Out = Answer<T>>
struct Call {
  Spans spans;
  Plan plan;
  Slots slots;
  Out* out;
  Answer<T> divisor;
  cudaStream_t stream;
  bool programmatic = true;
};

template <typename T, typename Op, Kernel kernel, typename Out>
cudaError_t launch_kernel(const Call<T, Out>& call) {
  const Plan& plan = call.plan;
  const auto blocks = static_cast<unsigned>(plan.blocks);
  const Shape shape{blocks, static_cast<unsigned>(kernel.threads),
                    static_cast<std::size_t>(kernel.shared_bytes()), kernel.way == Way::cluster ? blocks : 1,
                    call.programmatic};
  if constexpr (kernel.way == Way::one_block) {
    return launch(one_block<T, Op, kernel.threads, kernel.depth, Out>, shape, call.stream,
                  SmallSpans::of(call.spans), call.out, call.divisor);
  } else if constexpr (kernel.way == Way::cluster) {
    return launch(one_cluster<T, Op, kernel.threads, kernel.depth, Out>, shape, call.stream,
                  SmallSpans::of(call.spans), call.out, call.divisor);
  } else if constexpr (kernel.way == Way::tile_each) {
    return launch(one_tile_each<T, Op, kernel.threads, kernel.depth, Out>, shape, call.stream,
                  SmallSpans::of(call.spans), call.slots, draw_tag(call.slots.first), call.out, call.divisor);
  } else if constexpr (kernel.way == Way::blocks) {
    return launch(grid_of_blocks<T, Op, kernel.threads, kernel.depth, Out>, shape, call.stream, call.spans,
                  call.slots, draw_tag(call.slots.first), call.out, call.divisor);
  } else {
    return launch(grid_of_copies<T, Op, kernel.threads, kernel.depth, kernel.stage_bytes, Out>, shape,
                  call.stream, call.spans, call.slots, draw_tag(call.slots.first), call.out, call.divisor);
  }
}

/// Launches the row of the table that has the plan's kernel. Rows with one kernel share its code.
template <typename T, typename Op, typename Out, int... row>
cudaError_t launch_planned(const Call<T, Out>& call, std::integer_sequence<int, row...>) {
  cudaError_t status = cudaErrorInvalidValue;
  const bool launched =
      ((call.plan.kernel == table[row].kernel ? (status = launch_kernel<T, Op, table[row].kernel>(call), true)
                                              : false) ||
       ...);
  return launched ? status : cudaErrorInvalidValue;
}

/// What reduce() promises, into device memory or to the host.
template <typename T, typename Op, typename Out>
cudaError_t queue(void* storage, std::size_t& storage_bytes, const T* x, Out* out, std::int64_t n,
                  cudaStream_t stream, bool programmatic = true) {
  if (n < 0) return cudaErrorInvalidValue;
  int device = 0;
  int multiprocessors = 0;
  cudaError_t status = cudaGetDevice(&device);
  if (status != cudaSuccess) return status;
  status = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status != cudaSuccess) return status;
  if (storage == nullptr) {
    storage_bytes = (static_cast<std::size_t>(most_slots(multiprocessors)) + 2) * sizeof(Slot);
    return cudaSuccess;
  }
  const Plan plan = plan_for(spans_of(x, n).words, multiprocessors);
  const auto address = reinterpret_cast<std::uintptr_t>(storage);
  const std::uintptr_t aligned = (address + alignof(Slot) - 1) / alignof(Slot) * alignof(Slot);
  const std::size_t needed = aligned - address + (static_cast<std::size_t>(plan.slots()) + 1) * sizeof(Slot);
  if (needed > storage_bytes) return cudaErrorInvalidValue;
  const Call<T, Out> call{spans_of(x, n, plan.kernel.boundary()),
                          plan,
                          {reinterpret_cast<Slot*>(aligned)},
                          out,
                          static_cast<Answer<T>>(n),
                          stream,
                          programmatic};
  return launch_planned<T, Op>(call, std::make_integer_sequence<int, rows_of_table>());
}

/// Watches for the answer. Asks the stream now and then: a kernel that has failed will never write it.
template <typename A>
cudaError_t await_answer(HostAnswer<A>& through, A& answer, cudaStream_t stream) {
  constexpr unsigned looks_between_questions = 1 << 16;
  for (unsigned looks = 1;; ++looks) {
    if (through.take(answer)) return cudaSuccess;
    if (looks % looks_between_questions != 0) continue;
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaErrorNotReady) continue;
    if (through.take(answer)) return cudaSuccess;
    return status != cudaSuccess ? status : cudaErrorUnknown;
  }
}

}  // namespace detail

/// out[0] = x[0] ∘ x[1] ∘ … ∘ x[n-1] for Op Sum, Mean, Min or Max, in two phases as CUB's users know them:
/// with `storage` null, `storage_bytes` becomes the bytes of device memory needed (the same for every x, n,
/// type and operation on one GPU) and nothing else happens; else the work is queued in `stream`.
///
/// T: float, double, int32, int64, __half, __nv_bfloat16, int8; out is Answer<T>. Integer sums wrap; a mean
///   of integers is rounded towards 0. NaNs count in sums and are left out of minima and maxima.
/// x: device memory of any alignment that T allows; any n from 0 to 2^40. Of no elements: the identity of the
///   operation in T (0; the largest or lowest value, or an infinity); a mean of none is 0 / 0.
/// storage: any device memory, any alignment, uninitialised or left by anything else. Calls that run at the
///   same time need storage of their own; calls in one stream can share it. Nothing is allocated, and
///   nothing is shared between calls but what the caller shares. A call can be captured in a graph and
///   replayed.
/// Result: bitwise the same for the same x's elements, n, type, operation, alignment of x modulo 128 bytes
///   and number of multiprocessors, whatever else runs.
/// The launch is programmatic: it may become resident while the kernel before it in the stream still runs,
///   and waits there for its end.
/// Errors: cudaErrorInvalidValue for a negative n or too little storage; what the launch gives, e.g. on a GPU
///   that is not a Hopper.
template <typename T, typename Op>
cudaError_t reduce(void* storage, std::size_t& storage_bytes, const T* x, Answer<T>* out, std::int64_t n, Op,
                   cudaStream_t stream = nullptr) {
  return detail::queue<T, Op>(storage, storage_bytes, x, out, n, stream);
}

/// The same: reduce() is deterministic as it is, at no cost. Here so that a program can say that it relies
/// on it.
template <typename T, typename Op>
cudaError_t reduce_deterministic(void* storage, std::size_t& storage_bytes, const T* x, Answer<T>* out,
                                 std::int64_t n, Op op, cudaStream_t stream = nullptr) {
  return reduce(storage, storage_bytes, x, out, n, op, stream);
}

/// As reduce(), and waits until `answer` is there: the GPU writes it to `through`, which the host watches, so
/// that neither a copy nor a wait for the stream stands between the two. Of a short sum that is a third to a
/// half of the time from call to answer.
///
/// through: page-locked host memory, for one call at a time; its content does not matter.
/// The kernel may still be ending when this returns; what is queued behind it in `stream` comes after it.
/// Errors: as reduce(), and those of the kernel or of what is queued before it. A stream that is being
///   captured is refused: cudaErrorStreamCaptureUnsupported.
template <typename T, typename Op>
cudaError_t reduce_to_host(void* storage, std::size_t& storage_bytes, const T* x,
                           HostAnswer<Answer<T>>* through, Answer<T>& answer, std::int64_t n, Op,
                           cudaStream_t stream = nullptr) {
  if (storage == nullptr) return detail::queue<T, Op>(storage, storage_bytes, x, through, n, stream);
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  cudaError_t status = cudaStreamIsCapturing(stream, &capture);
  if (status != cudaSuccess) return status;
  if (capture != cudaStreamCaptureStatusNone) return cudaErrorStreamCaptureUnsupported;
  through->clear();
  // Nothing runs before it, as a rule, and a plain launch costs the host less.
  constexpr bool programmatic = false;
  status = detail::queue<T, Op>(storage, storage_bytes, x, through, n, stream, programmatic);
  return status == cudaSuccess ? detail::await_answer(*through, answer, stream) : status;
}

}  // namespace tally_reduce
