#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/errors.h"
#include "harness/device/facts.h"
#include "harness/device/queue.h"
#include "harness/problems/inputs.h"

namespace tally {

/// What the caches hold when a call begins.
enum class CacheState : std::uint8_t {
  cold,   ///< nothing of the call's, and nothing that must be written back
  warm,   ///< what the call before left
  dirty,  ///< nothing of the call's, and full of lines that must be written back first: what flushing by
          ///< writing does
};
constexpr CacheState all_cache_states[] = {CacheState::cold, CacheState::warm, CacheState::dirty};
enum class Clock : std::uint8_t {
  device,      ///< a GPU's work, by its own events
  end_to_end,  ///< from the call to the answer in host memory, by the host's clock
  graph,       ///< as `device`, of the call recorded once and replayed as a CUDA graph
};
constexpr Clock all_clocks[] = {Clock::device, Clock::end_to_end, Clock::graph};

constexpr std::string_view name_of(CacheState cache) {
  return cache == CacheState::cold ? "cold" : cache == CacheState::warm ? "warm" : "dirty";
}
constexpr std::string_view name_of(Clock clock) {
  return clock == Clock::device ? "device" : clock == Clock::end_to_end ? "end_to_end" : "graph";
}

/// How one sample is taken.
struct SampleRequest {
  CacheState cache = CacheState::cold;
  Clock clock = Clock::device;
  int batch = 1;  ///< calls behind one another in one sample; the sample is their mean. 1 where cold.
  bool hold =
      true;  ///< queue everything before the first of it may start; false for entries that synchronise
  const char* label = "";  ///< name of the NVTX range round the call
};

/// How quickly what a process has opened starts kernels, and answers the host. In seconds.
struct Pace {
  double launch_gap = 0;  ///< from one empty kernel's start to the next one's in a stream of them
  double round_trip = 0;  ///< from a launch to the moment at which the host sees what the kernel wrote
};

/// What this machine can do at best. Rates in bytes a second, times in seconds.
struct Ceilings {
  struct Footprint {
    std::int64_t bytes;
    double rate;
  };
  double launch_floor_cold = 0;  ///< an empty kernel, timed as a cold sample is
  double launch_floor_batched =
      0;  ///< an empty kernel in a batch of many, launched the quicker way of those there are
  double launch_floor_end_to_end =
      0;  ///< from an empty kernel's launch to its answer in host memory; 0: not known
  double hbm_read = 0;
  double hbm_copy = 0;             ///< bytes read plus bytes written
  std::vector<Footprint> l2_read;  ///< by footprint, ascending
};

/// Clocks and heat at one moment; absent fields are negative.
struct ClockReading {
  double sm_mhz = -1;
  double memory_mhz = -1;
  double temperature_c = -1;
  double power_w = -1;
  bool throttled = false;
  std::string throttle_reasons;
};

/// Work of others on a device, from begin_load() until the object goes.
class Load {
 public:
  virtual ~Load() = default;

  /// False once it could not go on.
  virtual bool is_on() const = 0;
};

/// A device, opened. Everything here is on the harness's side: entries see Queue and Scratch only.
class Device {
 public:
  using Work = std::function<void(DeviceQueue&)>;
  virtual ~Device() = default;

  virtual const DeviceFacts& facts() const = 0;
  virtual DeviceQueue& queue() = 0;

  /// Memory, aligned to 256 bytes. Throws DeviceError with both figures when there is not enough.
  virtual void* allocate(std::int64_t bytes, const std::string& name) = 0;
  virtual void release(void* memory) = 0;
  virtual void* allocate_on_host(std::int64_t bytes) = 0;
  virtual void release_on_host(void* memory) = 0;

  /// Device memory that is free now, in bytes; negative where the device does not say.
  virtual std::int64_t free_memory() { return -1; }

  /// Writes an input where it will be used. `array` holds spec.count elements.
  virtual void fill(const InputSpec& spec, ScalarType type, void* array) = 0;

  /// Overwrites memory with bytes that no right answer consists of (0xFB: NaN, large negative integers), and
  /// marks it as never written where the device keeps track of that.
  virtual void poison(void* memory, std::int64_t bytes) = 0;
  virtual void zero(void* memory, std::int64_t bytes) = 0;
  virtual void copy(void* target, const void* source, std::int64_t bytes) = 0;
  virtual void copy_to_host(void* target, const void* source, std::int64_t bytes) = 0;

  /// hash_of_bits() of an array of the device; here by copying it to the host.
  virtual std::uint64_t hash(const void* array, std::int64_t bytes);

  /// Runs `work` and waits for it; throws DeviceError for anything that went wrong in it.
  virtual void run(const Work& work) = 0;

  /// Seconds of one call of `work`, taken as `request` says; where the device has a launch_cycle(), the mean
  /// of several calls. `before` is untimed and runs before each (it restores what a call destroys); it may be
  /// empty.
  virtual double sample(const Work& work, const Work& before, const SampleRequest& request) = 0;

  /// What replays `work`, recorded as a graph of its launches. Throws DeviceError where the work cannot be
  /// recorded (it waits for the device, or allocates), and on devices that know no graphs.
  virtual Work recorded(const Work& work);

  /// Measured afresh at each call; nothing on devices whose times mean nothing.
  virtual std::optional<Ceilings> measure_ceilings() { return std::nullopt; }

  /// Measured at the first call. Nothing on devices whose times mean nothing.
  virtual std::optional<Pace> pace() { return std::nullopt; }

  /// Launches that the device deals with together: a sample on the clock `device` that is not warm is the
  /// mean of so many calls, each of which begins with another of them. 0 where no sign of that is seen, and
  /// on devices whose times mean nothing.
  virtual int launch_cycle() { return 0; }

  /// When this object goes, all goes that its process has on the device: who opens it again begins afresh.
  virtual void leave_with_everything() {}

  virtual std::optional<ClockReading> clocks() { return std::nullopt; }

  /// Keeps the device busy beside whatever is run meanwhile: its caches, its memory, its multiprocessors.
  /// Calls take longer and come to their end all the same, those too whose blocks wait for one another. Null
  /// where calls have the device to themselves in any case. Throws DeviceError where it cannot begin.
  virtual std::unique_ptr<Load> begin_load() { return nullptr; }

  /// What the device counted in all calls since the last take, by counter name; empty on devices that do not
  /// count.
  virtual std::map<std::string, double> take_counters() { return {}; }

  /// What the device's own checks found in all calls since the last take (races, accesses out of bounds, …).
  virtual std::vector<std::string> take_findings() { return {}; }
};

/// Opens "cuda", "simt" or "host"; `index` tells GPUs apart. Throws DeviceMissing.
std::unique_ptr<Device> open_device(DeviceKind kind, int index);

/// Tells a device from every other one: a GPU's uuid, else kind and index, "simt:1".
std::string identity_of(const DeviceFacts& facts);

/// How many GPUs there are; asked once, in a child process, so that this one stays free of the GPU and may
/// fork. A GPU takes a second to answer: the facts of all are asked for at the same time.
int count_gpus();

/// Whether there is any GPU, for one who will want the facts of these: a driver that shows one GPU answers
/// sooner than one that counts all.
bool is_a_gpu_there(const std::vector<int>& indices);

/// What open_device(kind, index).facts() would say of each index, but for free memory; GPUs are asked in
/// child processes, all at the same time. Throws DeviceMissing.
std::vector<DeviceFacts> probe_devices(DeviceKind kind, const std::vector<int>& indices);

}  // namespace tally
