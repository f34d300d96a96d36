#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "harness/device/device.h"

namespace tally::cuda {

/// How the caches are emptied before a cold sample. A reading flush leaves only clean lines behind; a writing
/// one leaves dirty lines that the timed call must write back. The harness reads; writing is there to show
/// the difference.
enum class Flush : std::uint8_t { reading, writing };

/// Takes samples on one stream.
class Timing {
 public:
  explicit Timing(cudaStream_t stream, std::int64_t l2_bytes);
  ~Timing();
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  double sample(DeviceQueue& queue, const Device::Work& work, const Device::Work& before,
                const SampleRequest& request);

  void flush_with(Flush flush) { flush_ = flush; }

 private:
  double device_seconds(DeviceQueue& queue, const Device::Work& work, const SampleRequest& request);
  double end_to_end_seconds(DeviceQueue& queue, const Device::Work& work, const SampleRequest& request);
  void flush_caches();
  void hold();
  void release_hold();

  cudaStream_t stream_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  Flush flush_ = Flush::reading;
  std::int64_t flush_bytes_;
  void* flush_buffer_ = nullptr;
  unsigned* flush_sink_ = nullptr;
  volatile std::uint64_t* hold_words_ = nullptr;  ///< page-locked: [0] released up to, [1] holds that gave up
  std::uint64_t holds_ = 0;
};

}  // namespace tally::cuda
