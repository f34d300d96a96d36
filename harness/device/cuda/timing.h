#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "harness/device/device.h"

namespace tally::cuda {

/// Takes samples on one stream.
class Timing {
 public:
  explicit Timing(cudaStream_t stream, std::int64_t l2_bytes);
  ~Timing();
  Timing(const Timing&) = delete;
  Timing& operator=(const Timing&) = delete;

  double sample(DeviceQueue& queue, const Device::Work& work, const Device::Work& before,
                const SampleRequest& request);

 private:
  double device_seconds(DeviceQueue& queue, const Device::Work& work, const SampleRequest& request);
  double end_to_end_seconds(DeviceQueue& queue, const Device::Work& work, const SampleRequest& request);
  void flush_by_reading();
  void flush_by_writing();
  void hold();
  void release_hold();

  cudaStream_t stream_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  std::int64_t flush_bytes_;
  void* flush_buffer_ = nullptr;
  unsigned* flush_sink_ = nullptr;
  volatile std::uint64_t* hold_words_ = nullptr;  ///< page-locked: [0] released up to, [1] holds that gave up
  std::uint64_t holds_ = 0;
};

}  // namespace tally::cuda
