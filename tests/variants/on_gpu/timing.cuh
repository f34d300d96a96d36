#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// Sampling as the harness does it: caches flushed by reading four times the L2, the stream held back until
/// the host has queued everything, two events around the call.
namespace tune {

#define TUNE_REQUIRE(call)                                                                            \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      std::exit(1);                                                                                   \
    }                                                                                                 \
  } while (0)

__global__ void hold_until(volatile std::uint64_t* released, std::uint64_t ticket) {
  std::uint64_t begin = 0;
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while (*released < ticket) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - begin > 2'000'000'000u) return;
  }
}

__global__ void read_all(const uint4* buffer, std::int64_t count, unsigned* sink) {
  unsigned bits = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 part = buffer[i];
    bits |= part.x ^ part.y ^ part.z ^ part.w;
  }
  if (bits == 0x5eed5eedu) *sink = bits;
}

__global__ void nothing() {}

class Timer {
 public:
  Timer() {
    int l2 = 0;
    TUNE_REQUIRE(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    flush_bytes_ = 4 * static_cast<std::int64_t>(l2);
    TUNE_REQUIRE(cudaStreamCreate(&stream_));
    TUNE_REQUIRE(cudaEventCreate(&start_));
    TUNE_REQUIRE(cudaEventCreate(&stop_));
    TUNE_REQUIRE(cudaMalloc(&flush_, static_cast<std::size_t>(flush_bytes_)));
    TUNE_REQUIRE(cudaMemset(flush_, 0, static_cast<std::size_t>(flush_bytes_)));
    TUNE_REQUIRE(cudaMalloc(&sink_, sizeof(unsigned)));
    void* word = nullptr;
    TUNE_REQUIRE(cudaHostAlloc(&word, sizeof(std::uint64_t), cudaHostAllocMapped));
    released_ = static_cast<volatile std::uint64_t*>(word);
    *released_ = 0;
    for (int i = 0; i < 20; ++i) sample([this] { nothing<<<1, 32, 0, stream_>>>(); }, true, 1);
  }

  cudaStream_t stream() const { return stream_; }

  /// Microseconds of one call: the mean of `batch` calls behind one another.
  template <typename Call>
  double sample(Call&& call, bool cold, int batch) {
    if (cold) {
      read_all<<<528, 512, 0, stream_>>>(static_cast<const uint4*>(flush_), flush_bytes_ / 16, sink_);
    }
    hold_until<<<1, 1, 0, stream_>>>(released_, ++tickets_);
    TUNE_REQUIRE(cudaEventRecord(start_, stream_));
    for (int i = 0; i < batch; ++i) call();
    TUNE_REQUIRE(cudaEventRecord(stop_, stream_));
    *released_ = tickets_;
    TUNE_REQUIRE(cudaEventSynchronize(stop_));
    float milliseconds = 0;
    TUNE_REQUIRE(cudaEventElapsedTime(&milliseconds, start_, stop_));
    return 1e3 * milliseconds / batch;
  }

 private:
  cudaStream_t stream_{};
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  void* flush_ = nullptr;
  std::int64_t flush_bytes_ = 0;
  unsigned* sink_ = nullptr;
  volatile std::uint64_t* released_ = nullptr;
  std::uint64_t tickets_ = 0;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace tune
