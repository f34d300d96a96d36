#pragma once

#include <chrono>
#include <span>
#include <utility>

#include "best/bulk.cuh"
#include "best/plan.h"
#include "best/registers.cuh"

/// Fast prefix sums for Hopper GPUs (compute capability 9.0), to be copied into any program together with the
/// folder best/. Needs C++20 and CUDA's own headers, nothing else.
///
///   std::size_t bytes = 0;
///   tally_scan::inclusive_sum(nullptr, bytes, x, out, n);          // how much storage?
///   cudaMalloc(&storage, bytes);
///   tally_scan::inclusive_sum(storage, bytes, x, out, n, stream);  // out[i] = x[0] + … + x[i]
namespace tally_scan {
namespace detail {

/// A tag that the storage does not hold yet: drawn from the clock and the storage's address.
inline std::uint64_t draw_tag(const void* storage) {
  auto bits = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  bits ^= static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(storage)) << 17;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
  return bits ^ (bits >> 31);
}

template <typename T>
struct Call {
  const T* x;
  T* out;
  std::int64_t n;
  Slot* slots;  ///< count_of_slots() of them
  cudaStream_t stream;
  bool programmatic = true;
};

template <typename T>
std::int64_t tiles_of(const Kernel& kernel, std::int64_t n) {
  return tiles_for(kernel, n * static_cast<std::int64_t>(sizeof(T)));
}

/// Whether nothing is read through the first-level cache, which only a launch of its own empties for sure:
/// warps of the bulk kernel whose part is not aligned, or not whole, move elements one by one through it.
template <typename T>
bool avoids_first_level_cache(const Kernel& kernel, const Call<T>& call) {
  const std::int64_t bytes = call.n * static_cast<std::int64_t>(sizeof(T));
  return kernel.way == Way::registers ||
         (reinterpret_cast<std::uintptr_t>(call.x) % bytes_of_word == 0 && bytes % kernel.warp_bytes() == 0);
}

template <typename T, bool inclusive, Kernel kernel>
cudaError_t launch_kernel(const Call<T>& call) {
  const std::int64_t tiles = tiles_of<T>(kernel, call.n);
  const bool overlaps = call.programmatic && avoids_first_level_cache<T>(kernel, call);
  const Shape shape{static_cast<unsigned>(tiles), static_cast<unsigned>(kernel.threads),
                    static_cast<std::size_t>(kernel.shared_bytes()), overlaps};
  const Slots slots = slots_in(call.slots, tiles);
  const std::uint64_t tag = draw_tag(call.slots);
  if constexpr (kernel.way == Way::registers) {
    return launch(tiles_in_registers<T, inclusive, kernel.threads, kernel.words, kernel.near>, shape,
                  call.stream, call.x, call.out, call.n, slots, tag);
  } else {
    return launch(tiles_by_bulk_copies<T, inclusive, kernel.threads, kernel.words, kernel.near>, shape,
                  call.stream, call.x, call.out, call.n, slots, tag);
  }
}

/// Launches the row of T's table that has the kernel. Rows with one kernel share its code.
template <typename T, bool inclusive, std::size_t... row>
cudaError_t launch_chosen(const Kernel& kernel, const Call<T>& call, std::index_sequence<row...>) {
  constexpr std::span<const Row> table = table_for(sizeof(T));
  cudaError_t status = cudaErrorInvalidValue;
  static_cast<void>(
      ((kernel == table[row].kernel ? (status = launch_kernel<T, inclusive, table[row].kernel>(call), true)
                                    : false) ||
       ...));
  return status;
}

template <bool inclusive, typename T>
cudaError_t scan(void* storage, std::size_t& storage_bytes, const T* x, T* out, std::int64_t n,
                 cudaStream_t stream) {
  static_assert(std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
  if (n < 0) return cudaErrorInvalidValue;
  const Kernel kernel = kernel_for(sizeof(T), n * static_cast<std::int64_t>(sizeof(T)));
  const std::size_t slots_bytes =
      static_cast<std::size_t>(count_of_slots(tiles_of<T>(kernel, n), kernel.near)) * sizeof(Slot);
  if (storage == nullptr) {
    storage_bytes = slots_bytes + alignof(Slot);
    return cudaSuccess;
  }
  if (n == 0) return cudaSuccess;
  const auto address = reinterpret_cast<std::uintptr_t>(storage);
  const std::uintptr_t aligned = (address + alignof(Slot) - 1) / alignof(Slot) * alignof(Slot);
  if (aligned - address + slots_bytes > storage_bytes) return cudaErrorInvalidValue;
  return launch_chosen<T, inclusive>(kernel, Call<T>{x, out, n, reinterpret_cast<Slot*>(aligned), stream},
                                     std::make_index_sequence<table_for(sizeof(T)).size()>());
}

}  // namespace detail

/// out[i] = x[0] + … + x[i] for i = 0 … n-1, in two phases as CUB's users know them: with `storage` null,
/// `storage_bytes` becomes the bytes of device memory needed for that n and T, and nothing else happens; else
/// the work is queued in `stream`.
///
/// T: float, double, or an integer of 4 or 8 bytes; integer sums wrap.
/// x, out: device memory of any alignment that T allows, n elements each; out may be x, but may not
///   overlap it otherwise. n: from 0 to 2^40.
/// storage: any device memory, any alignment, uninitialised or left by anything else. Calls that run at the
///   same time need storage of their own; calls in one stream can share it. Nothing is allocated, and nothing
///   is shared between calls but what the caller shares. A call can be captured in a graph and replayed.
/// Result: bitwise the same for the same elements, n and T, whatever else runs.
/// The launch is programmatic where it can be: it may become resident while the kernel before it in the
///   stream still runs, and waits there for its end.
/// Errors: cudaErrorInvalidValue for a negative n or too little storage; what the launch gives, e.g. on a GPU
///   that is not a Hopper.
template <typename T>
cudaError_t inclusive_sum(void* storage, std::size_t& storage_bytes, const T* x, T* out, std::int64_t n,
                          cudaStream_t stream = nullptr) {
  return detail::scan<true>(storage, storage_bytes, x, out, n, stream);
}

/// The same for out[i] = x[0] + … + x[i-1]; out[0] = 0.
template <typename T>
cudaError_t exclusive_sum(void* storage, std::size_t& storage_bytes, const T* x, T* out, std::int64_t n,
                          cudaStream_t stream = nullptr) {
  return detail::scan<false>(storage, storage_bytes, x, out, n, stream);
}

}  // namespace tally_scan
