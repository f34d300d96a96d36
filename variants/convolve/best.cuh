#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "best/dispatch.cuh"

/// A fast full one-dimensional convolution for Hopper GPUs (compute capability 9.0), to be copied into any
/// program together with the folder best/. Needs C++20 and CUDA's own headers, nothing else.
///
///   std::size_t bytes = 0;
///   tally_convolve::convolve(nullptr, bytes, a, n, b, taps, out);          // how much storage?
///   cudaMalloc(&storage, bytes);
///   tally_convolve::convolve(storage, bytes, a, n, b, taps, out, stream);  // out[t] = Σ_m a[t - m] · b[m]
namespace tally_convolve {
namespace detail {

/// Launches in a stream, until one fails: programmatically, so that a kernel is there when the one in front
/// ends.
class InStream {
 public:
  explicit InStream(cudaStream_t stream, cudaError_t& status) : stream_(stream), status_(status) {}

  template <typename... Parameters, typename... Arguments>
  void operator()(void (*kernel)(Parameters...), std::int64_t blocks, int threads,
                  Arguments... arguments) const {
    if (status_ != cudaSuccess) return;
    cudaLaunchConfig_t config{};
    config.gridDim = static_cast<unsigned>(blocks);
    config.blockDim = static_cast<unsigned>(threads);
    config.stream = stream_;
    cudaLaunchAttribute programmatic{};
    programmatic.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    programmatic.val.programmaticStreamSerializationAllowed = 1;
    config.attrs = &programmatic;
    config.numAttrs = 1;
    status_ = cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
  }

 private:
  cudaStream_t stream_;
  cudaError_t& status_;
};

}  // namespace detail

/// out[t] = Σ_m a[t - m] · b[m] over all m with 0 ≤ m < taps and 0 ≤ t - m < n, in two phases as CUB's users
/// know them: with `storage` null, `storage_bytes` becomes the bytes of device memory needed for this n, taps
/// and type, and nothing else happens; else the work is queued in `stream`.
///
/// T: float or double. a: n elements, b: taps elements, out: n + taps - 1 elements that overlap neither, all
/// in
///   device memory, of any alignment that T allows. n and taps up to 2^40; with either below 1, nothing is
///   done. Values must be finite: where a or b has an infinity or a NaN, outputs near by may be NaN that need
///   not be.
/// storage: any device memory, any alignment, with any content. Calls that run at the same time need storage
/// of
///   their own; calls in one stream can share it. Nothing is allocated, and nothing is shared between calls
///   but what the caller shares.
/// Result: bitwise the same from run to run, and whatever the alignment. With few taps, each output is off by
///   its own roundings. From a number of taps on that depends on n (best/tuned.h), the way goes through
///   Fourier transforms of 4,096 elements, and roundings spread over as many outputs: an output is off by
///   some units of the largest Σ|terms| near by, not of its own. Who minds calls convolve_direct().
/// Errors: cudaErrorInvalidValue for too little storage; what the launch gives.
template <typename T>
cudaError_t convolve(void* storage, std::size_t& storage_bytes, const T* a, std::int64_t n, const T* b,
                     std::int64_t taps, T* out, cudaStream_t stream = nullptr) {
  using detail::Complex;
  const bool nothing = n < 1 || taps < 1;
  const detail::Arrays<T> arrays = detail::Arrays<T>{out, a, b, n, taps}.with_fewer_taps();
  const bool in_spectra = !nothing && detail::is_for_overlap_save<T>(arrays.outputs(), arrays.taps);
  constexpr std::size_t alignment = sizeof(Complex<T>);
  const std::size_t needed = in_spectra ? static_cast<std::size_t>(partitioning_of(arrays.taps).partitions) *
                                              length * sizeof(Complex<T>)
                                        : 0;
  if (storage == nullptr) {
    storage_bytes = needed + alignment;
    return cudaSuccess;
  }
  if (nothing) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  const detail::InStream launch(stream, status);
  const auto address = reinterpret_cast<std::uintptr_t>(storage);
  const std::uintptr_t aligned = (address + alignment - 1) / alignment * alignment;
  if (in_spectra && aligned - address + needed > storage_bytes) return cudaErrorInvalidValue;
  detail::run_by_table(arrays, reinterpret_cast<Complex<T>*>(aligned), launch);
  return status;
}

/// The same with each output off by its own roundings only, whatever the number of taps: min(n, taps)
/// multiplications an output. Needs no storage.
template <typename T>
cudaError_t convolve_direct(const T* a, std::int64_t n, const T* b, std::int64_t taps, T* out,
                            cudaStream_t stream = nullptr) {
  if (n < 1 || taps < 1) return cudaSuccess;
  cudaError_t status = cudaSuccess;
  detail::run_direct_by_table(detail::Arrays<T>{out, a, b, n, taps}.with_fewer_taps(),
                              detail::InStream(stream, status));
  return status;
}

}  // namespace tally_convolve
