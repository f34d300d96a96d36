#include "harness/device/simt/simt_device.h"

#include <utility>

#include "harness/device/host/host_device.h"
#include "harness/device/simt/counters.h"
#include "harness/device/simt/memory.h"

namespace tally {
namespace {

void written(void* memory, std::size_t bytes) { simt::mark_initialised(memory, bytes); }

/// What the queue writes counts as written, as what a kernel writes does.
class SimtQueue final : public HostQueue {
 public:
  void memset(void* target, int value, std::size_t bytes) override {
    HostQueue::memset(target, value, bytes);
    written(target, bytes);
  }
  void copy(void* target, const void* source, std::size_t bytes) override {
    HostQueue::copy(target, source, bytes);
    written(target, bytes);
  }
};

class SimtDevice final : public HostDevice {
 public:
  SimtDevice() : HostDevice(std::make_unique<SimtQueue>()) {
    facts_.kind = DeviceKind::simt;
    facts_.name = "CPU executor on " + facts_.name;
    facts_.max_shared_bytes = 227 * 1024;
  }

  void* allocate(std::int64_t bytes, const std::string& name) override {
    return simt::allocate(static_cast<std::size_t>(bytes), name.c_str());
  }
  void release(void* memory) override { simt::release(memory); }

  void fill(const InputSpec& spec, ScalarType type, void* array) override {
    HostDevice::fill(spec, type, array);
    written(array, static_cast<std::size_t>(spec.count) * size_of(type));
  }
  void poison(void* memory, std::int64_t bytes) override {
    simt::poison(memory, static_cast<std::size_t>(bytes));
    HostDevice::poison(memory, bytes);
  }
  void zero(void* memory, std::int64_t bytes) override {
    HostDevice::zero(memory, bytes);
    written(memory, static_cast<std::size_t>(bytes));
  }
  void copy(void* target, const void* source, std::int64_t bytes) override {
    HostDevice::copy(target, source, bytes);
    written(target, static_cast<std::size_t>(bytes));
  }

  std::map<std::string, double> take_counters() override {
    collect();
    const simt::Counters taken = std::exchange(counters_, {});
    return simt::counting_available() ? taken.by_name() : std::map<std::string, double>{};
  }

  std::vector<std::string> take_findings() override {
    collect();
    return std::exchange(findings_, {});
  }

 private:
  /// Moves what the session has so far into the two heaps that are taken apart from one another. Counting
  /// keeps launches on one core, so it begins with the first take: who never asks does not wait for it.
  void collect() {
    if (session_ == nullptr) session_ = std::make_unique<simt::Session>();
    counters_ += session_->total();
    for (const simt::Finding& finding : session_->findings()) findings_.push_back(finding.message);
    session_->clear();
  }

  std::unique_ptr<simt::Session> session_;
  simt::Counters counters_;
  std::vector<std::string> findings_;
};

}  // namespace

std::unique_ptr<Device> open_simt_device() { return std::make_unique<SimtDevice>(); }

}  // namespace tally
