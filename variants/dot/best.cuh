#pragma once

#include "../reduce/best.cuh"
#include "best/bulk.cuh"
#include "best/kernels.cuh"
#include "best/plan.h"

/// A fast dot product for Hopper GPUs (compute capability 9.0), to be copied into any program together with
/// the folder best/ and, beside this folder, reduce/ (best.cuh and best/). Needs C++20 and CUDA's own
/// headers.
///
///   std::size_t bytes = 0;
///   tally_dot::dot(nullptr, bytes, x, y, out, n);          // how much storage?
///   cudaMalloc(&storage, bytes);
///   tally_dot::dot(storage, bytes, x, y, out, n, stream);  // out[0] = x[0]·y[0] + …
namespace tally_dot {

using tally_reduce::Answer;

namespace detail {

template <typename T, typename Out>
struct Call {
  Pairs pairs;
  Plan plan;
  Slots slots;
  Out* out;
  cudaStream_t stream;
  bool programmatic = true;
};

template <typename T, typename Out, Kernel kernel, bool Shifted>
cudaError_t launch_kernel(const Call<T, Out>& call) {
  static_assert(kernel.way != Way::cluster, "dot has no such kernel");
  constexpr int arrays = 2;
  const Shape shape{static_cast<unsigned>(call.plan.blocks), static_cast<unsigned>(kernel.threads),
                    static_cast<std::size_t>(arrays * kernel.shared_bytes()), 1, call.programmatic};
  if constexpr (kernel.way == Way::one_block) {
    return launch(one_block<T, Out, kernel.threads, kernel.depth, Shifted>, shape, call.stream, call.pairs,
                  call.out);
  } else {
    const std::uint64_t tag = tally_reduce::detail::draw_tag(call.slots.first);
    const auto with_slots = [&](auto function) {
      return launch(function, shape, call.stream, call.pairs, call.slots, tag, call.out);
    };
    if constexpr (kernel.way == Way::tile_each) {
      return with_slots(one_tile_each<T, Out, kernel.threads, kernel.depth, Shifted>);
    } else if constexpr (kernel.way == Way::blocks) {
      return with_slots(grid_of_blocks<T, Out, kernel.threads, kernel.depth, Shifted>);
    } else {
      static_assert(!Shifted, "the bulk copy engine copies multiples of 16 bytes");
      return with_slots(grid_of_copies<T, Out, kernel.threads, kernel.depth, kernel.stage_bytes>);
    }
  }
}

/// Launches the row of the table that has the plan's kernel. Rows with one kernel share its code.
template <bool Shifted, typename T, typename Out, int... row>
cudaError_t launch_planned(const Call<T, Out>& call, std::integer_sequence<int, row...>) {
  cudaError_t status = cudaErrorInvalidValue;
  const bool launched =
      ((call.plan.kernel == rows(Shifted)[row].kernel
            ? (status = launch_kernel<T, Out, rows(Shifted)[row].kernel, Shifted>(call), true)
            : false) ||
       ...);
  return launched ? status : cudaErrorInvalidValue;
}

}  // namespace detail

/// out[0] = x[0]·y[0] + x[1]·y[1] + … + x[n-1]·y[n-1], in two phases as CUB's users know them: with `storage`
/// null, `storage_bytes` becomes the bytes of device memory needed (the same for every x, y, n and type on
/// one GPU) and nothing else happens; else the work is queued in `stream`.
///
/// T: float, double, __half, __nv_bfloat16. Products of two-byte types are exact and add up in float. Out:
/// what T
///   adds up in or, for two-byte types, T itself: the float sum is rounded once.
/// x, y: device memory, each of any alignment that T allows; any n from 0 to 2^40. Of no elements: 0.
/// storage: any device memory, any alignment, uninitialised or left by anything else. Calls that run at the
/// same
///   time need storage of their own; calls in one stream can share it. Nothing is allocated. A call can be
///   captured in a graph and replayed.
/// Result: bitwise the same for the same elements, n, type, alignments of x and y modulo 128 bytes and number
/// of
///   multiprocessors, whatever else runs.
/// The launch is programmatic: it may become resident while the kernel before it in the stream still runs,
/// and
///   waits there for its end.
/// Errors: cudaErrorInvalidValue for a negative n or too little storage; what the launch gives, e.g. on a GPU
/// that
///   is not a Hopper.
template <typename T, typename Out>
cudaError_t dot(void* storage, std::size_t& storage_bytes, const T* x, const T* y, Out* out, std::int64_t n,
                cudaStream_t stream = nullptr) {
  static_assert(std::is_same_v<Out, Answer<T>> || (std::is_same_v<Out, T> && sizeof(T) == 2));
  using detail::Slot;
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
  const Pairs nearest = pairs_of(x, y, n);
  const bool shifted = nearest.shift != 0;
  const Plan plan = plan_for(nearest.x.words, shifted, multiprocessors);
  const auto address = reinterpret_cast<std::uintptr_t>(storage);
  const std::uintptr_t aligned = (address + alignof(Slot) - 1) / alignof(Slot) * alignof(Slot);
  const std::size_t needed = aligned - address + (static_cast<std::size_t>(plan.slots()) + 1) * sizeof(Slot);
  if (needed > storage_bytes) return cudaErrorInvalidValue;
  const detail::Call<T, Out> call{
      pairs_of(x, y, n, plan.kernel.boundary()), plan, {reinterpret_cast<Slot*>(aligned)}, out, stream};
  return shifted
             ? detail::launch_planned<true>(call, std::make_integer_sequence<int, rows_of_table_shifted>())
             : detail::launch_planned<false>(call, std::make_integer_sequence<int, rows_of_table>());
}

/// The same: dot() is deterministic as it is, at no cost. Here so that a program can say that it relies on
/// it.
template <typename T, typename Out>
cudaError_t dot_deterministic(void* storage, std::size_t& storage_bytes, const T* x, const T* y, Out* out,
                              std::int64_t n, cudaStream_t stream = nullptr) {
  return dot(storage, storage_bytes, x, y, out, n, stream);
}

}  // namespace tally_dot
