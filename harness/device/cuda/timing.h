#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "harness/device/cuda/launch_cycle.h"
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

  /// Something else than samples was queued: how many launches that was is not known.
  void lose_place() { cycle_.lose(); }

  /// Launches that the GPU deals with together; 0 where no sign of that is seen.
  int launch_cycle();

 private:
  /// How many places of the cycle a sample moves on: what is done before the call, and the call itself.
  struct Moves {
    int before = 0;
    int call = 0;
  };

  double sample_once(DeviceQueue& queue, const Device::Work& work, const Device::Work& before,
                     const SampleRequest& request);
  double one_sample(DeviceQueue& queue, const Device::Work& work, const SampleRequest& request);
  double pair_of_empties();
  void look();
  double device_seconds(const std::function<void()>& call, const SampleRequest& request);
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
  LaunchCycle cycle_;
  std::map<std::string, Moves> moves_;  ///< by label and batch
  int samples_since_look_ = 0;
  int next_start_ = 0;  ///< place of the next call that is timed from all of them
};

}  // namespace tally::cuda
