#pragma once

#include <cuda/barrier>
#include <cuda/ptx>

#include <cstdint>

/// The kernels that do nothing but move bytes: whatever an entry computes, it can move them no faster.
namespace tally::cuda {

/// Reads `count` 16-byte words `passes` times, `in_flight` of them before the first is used. Blocks take
/// turns in strips, so that at any moment the grid reads one contiguous stretch.
template <int in_flight>
__global__ void read_words(const uint4* words, std::int64_t count, int passes, unsigned* sink) {
  unsigned bits = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x * in_flight;
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * in_flight + threadIdx.x;
    for (std::int64_t i = first; i < count; i += stride) {
      uint4 parts[in_flight];
#pragma unroll
      for (int k = 0; k < in_flight; ++k) {
        const std::int64_t at = i + static_cast<std::int64_t>(k) * blockDim.x;
        parts[k] = at < count ? __ldcg(words + at) : make_uint4(0, 0, 0, 0);
      }
#pragma unroll
      for (int k = 0; k < in_flight; ++k) bits ^= parts[k].x ^ parts[k].y ^ parts[k].z ^ parts[k].w;
    }
    if (bits == 0x5eed5eedu) sink[pass] = bits;  // keeps the passes apart and the reads alive
  }
}

template <int in_flight>
__global__ void copy_words(uint4* target, const uint4* source, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x * in_flight;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * in_flight + threadIdx.x;
       i < count; i += stride) {
    uint4 parts[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const std::int64_t at = i + static_cast<std::int64_t>(k) * blockDim.x;
      if (at < count) parts[k] = source[at];
    }
#pragma unroll
    for (int k = 0; k < in_flight; ++k) {
      const std::int64_t at = i + static_cast<std::int64_t>(k) * blockDim.x;
      if (at < count) target[at] = parts[k];
    }
  }
}

/// Where one thread of a block keeps copies to shared memory on their way, one a stage.
struct BulkRing {
  int stages;
  int stage_bytes;
  static constexpr int most_stages = 16;
};

/// Reads `count` 16-byte words through the bulk copy engine (compute capability 9.0 and later; before, it
/// reads nothing): what is in flight then depends on neither registers nor warps. Blocks take turns as in
/// read_words. One thread a block; dynamic shared memory: stages * stage_bytes, which is a multiple of 16.
__global__ void read_in_bulk(const uint4* words, std::int64_t count, BulkRing ring) {
#if __CUDA_ARCH__ >= 900
  using Barrier = ::cuda::barrier<::cuda::thread_scope_block>;
  extern __shared__ __align__(128) unsigned char tally_bulk_ring[];
  __shared__ __align__(alignof(Barrier)) unsigned char room[BulkRing::most_stages * sizeof(Barrier)];
  auto* arrived = reinterpret_cast<Barrier*>(room);
  for (int stage = 0; stage < ring.stages; ++stage) init(arrived + stage, 1);
  ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);  // the engine sees the barriers

  const auto* bytes = reinterpret_cast<const unsigned char*>(words);
  const std::int64_t end = count * static_cast<std::int64_t>(sizeof(uint4));
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * ring.stage_bytes;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * ring.stage_bytes;
  const auto fetch = [&](std::int64_t at, int stage) {
    if (at >= end) return;
    const auto size = static_cast<unsigned>(min(end - at, static_cast<std::int64_t>(ring.stage_bytes)));
    ::cuda::device::memcpy_async_tx(tally_bulk_ring + stage * ring.stage_bytes, bytes + at,
                                    ::cuda::aligned_size_t<16>(size), arrived[stage]);
    static_cast<void>(::cuda::device::barrier_arrive_tx(arrived[stage], 1, size));
  };
  for (int stage = 0; stage < ring.stages; ++stage) fetch(first + stage * step, stage);
  bool parity = false;
  for (std::int64_t at = first; at < end;) {
    for (int stage = 0; stage < ring.stages && at < end; ++stage, at += step) {
      arrived[stage].wait_parity(parity);
      fetch(at + ring.stages * step, stage);
    }
    parity = !parity;
  }
#endif
}

}  // namespace tally::cuda
