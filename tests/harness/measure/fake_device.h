#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalog/entry.h"
#include "harness/device/device.h"
#include "harness/problems/reduce.h"

namespace tally::testing {

/// A queue whose calls say how long they took.
class FakeQueue final : public DeviceQueue {
 public:
  void* native_stream() override { return nullptr; }
  void memset(void* target, int value, std::size_t bytes) override { std::memset(target, value, bytes); }
  void copy(void* target, const void* source, std::size_t bytes) override {
    std::memcpy(target, source, bytes);
  }
  void copy_to_host(void* target, const void* source, std::size_t bytes) override {
    std::memcpy(target, source, bytes);
    now += 5e-6;
  }
  void synchronize() override {}
  double now = 0;
};

/// A device without a clock of its own: time passes only as the calls say.
class FakeDevice : public Device {
  class FakeLoad final : public Load {
   public:
    explicit FakeLoad(FakeDevice& device) : device_(device) { ++device.loads; }
    ~FakeLoad() override { --device_.loads; }
    FakeLoad(const FakeLoad&) = delete;
    FakeLoad& operator=(const FakeLoad&) = delete;
    bool is_on() const override { return !device_.load_fails; }

   private:
    FakeDevice& device_;
  };

 public:
  explicit FakeDevice(DeviceKind kind = DeviceKind::host) {
    facts_.kind = kind;
    facts_.name = "imagined";
    facts_.l2_bytes = 1 << 20;
  }
  ~FakeDevice() override {
    for (void* memory : living) std::free(memory);
  }

  const DeviceFacts& facts() const override { return facts_; }
  DeviceQueue& queue() override { return queue_; }
  void* allocate(std::int64_t bytes, const std::string& name) override {
    if (bytes > free_bytes) throw DeviceError("no memory for " + name);
    void* memory = std::aligned_alloc(256, static_cast<std::size_t>((bytes + 255) / 256 * 256));
    living.push_back(memory);
    return memory;
  }
  void release(void* memory) override {
    living.erase(std::find(living.begin(), living.end(), memory));
    std::free(memory);
  }
  void* allocate_on_host(std::int64_t bytes) override { return allocate(bytes, "host memory"); }
  void release_on_host(void* memory) override { release(memory); }
  std::int64_t free_memory() override { return free_bytes; }
  void fill(const InputSpec& spec, ScalarType type, void* array) override { tally::fill(spec, type, array); }
  void poison(void* memory, std::int64_t bytes) override {
    std::memset(memory, 0xFB, static_cast<std::size_t>(bytes));
  }
  void zero(void* memory, std::int64_t bytes) override {
    std::memset(memory, 0, static_cast<std::size_t>(bytes));
  }
  void copy(void* target, const void* source, std::int64_t bytes) override {
    std::memcpy(target, source, static_cast<std::size_t>(bytes));
  }
  void copy_to_host(void* target, const void* source, std::int64_t bytes) override {
    copy(target, source, bytes);
  }
  void run(const Work& work) override {
    ++calls;
    calls_under_load += loads;
    work(queue_);
  }
  double sample(const Work& work, const Work& before, const SampleRequest& request) override {
    requests.push_back(request);
    samples_under_load += loads;
    const double start = [&] {
      if (before) before(queue_);
      return queue_.now;
    }();
    for (int i = 0; i < request.batch; ++i) work(queue_);
    return (queue_.now - start) / request.batch;
  }
  Work recorded(const Work& work) override {
    ++recordings;
    return [this, work](DeviceQueue& queue) {
      ++replays;
      if (!replays_do_nothing) work(queue);
    };
  }
  std::unique_ptr<Load> begin_load() override {
    return has_load ? std::make_unique<FakeLoad>(*this) : nullptr;
  }
  std::optional<ClockReading> clocks() override {
    if (readings.empty()) return std::nullopt;
    const ClockReading reading = readings.front();
    if (readings.size() > 1) readings.erase(readings.begin());
    return reading;
  }
  std::map<std::string, double> take_counters() override { return std::exchange(counters, {}); }
  std::vector<std::string> take_findings() override { return std::exchange(findings, {}); }

  std::int64_t free_bytes = std::int64_t{1} << 30;
  std::vector<void*> living;
  std::vector<SampleRequest> requests;
  std::vector<ClockReading> readings;
  std::map<std::string, double> counters;
  std::vector<std::string> findings;
  int calls = 0;
  int recordings = 0;
  int replays = 0;
  bool replays_do_nothing = false;
  bool has_load = false;
  bool load_fails = false;
  int loads = 0;  ///< that are there now
  int calls_under_load = 0;
  int samples_under_load = 0;

 private:
  DeviceFacts facts_;
  FakeQueue queue_;
};

/// What a fake entry does with the problem each time it is called.
using FakeCall = std::function<void(const Reduce<float, Sum<float>>&, FakeQueue&)>;

inline void right_sum(const Reduce<float, Sum<float>>& problem, FakeQueue& queue, double seconds) {
  double sum = 0;
  for (std::int64_t i = 0; i < problem.n; ++i) sum += problem.x[i];
  *problem.out = static_cast<float>(sum);
  queue.now += seconds;
}

/// A variant of reduce for float32 sums on that device.
inline Entry fake_entry(const std::string& name, FakeCall call, DeviceKind device = DeviceKind::host) {
  Entry entry;
  entry.family = "reduce";
  entry.series = "fake";
  entry.name = name;
  entry.types = {ScalarType::float32};
  entry.implementations.push_back(
      {device, ScalarType::float32, [](const Problem& problem) { return problem.key().text("op") == "sum"; },
       [call](const Problem& problem, const Buffers& buffers, const Tuning&, Scratch&) {
         const auto view = Reduce<float, Sum<float>>::bind(problem, buffers);
         return Prepared{[view, call](DeviceQueue& queue) { call(view, dynamic_cast<FakeQueue&>(queue)); },
                         {}};
       }});
  return entry;
}

/// A right variant that takes so long, with a spread of its own.
inline Entry right_entry(const std::string& name, double seconds, DeviceKind device = DeviceKind::host) {
  return fake_entry(
      name, [seconds](const auto& problem, FakeQueue& queue) { right_sum(problem, queue, seconds); }, device);
}

}  // namespace tally::testing
