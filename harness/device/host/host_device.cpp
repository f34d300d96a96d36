#include "harness/device/host/host_device.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

namespace tally {
namespace {

constexpr std::size_t alignment = 256;
constexpr int poison_byte = 0xFB;

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "CPU";
}

std::int64_t last_level_cache() {
  const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? bytes : 32 << 20;
}

}  // namespace

void HostQueue::memset(void* target, int value, std::size_t bytes) { std::memset(target, value, bytes); }
void HostQueue::copy(void* target, const void* source, std::size_t bytes) {
  std::memmove(target, source, bytes);
}
void HostQueue::copy_to_host(void* target, const void* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
}

HostDevice::HostDevice() : HostDevice(std::make_unique<HostQueue>()) {}

HostDevice::HostDevice(std::unique_ptr<DeviceQueue> queue) : queue_(std::move(queue)) {
  facts_.kind = DeviceKind::host;
  facts_.name = processor_name();
  facts_.multiprocessors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  facts_.l2_bytes = last_level_cache();
  facts_.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  facts_.free_memory_bytes = static_cast<std::int64_t>(sysconf(_SC_AVPHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
}

HostDevice::~HostDevice() = default;

void* HostDevice::allocate(std::int64_t bytes, const std::string& name) {
  const std::size_t rounded = (static_cast<std::size_t>(bytes) + alignment) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr)
    throw DeviceError("no memory for " + std::to_string(bytes) + " bytes (" + name + ")");
  return memory;
}

void HostDevice::release(void* memory) { std::free(memory); }
void* HostDevice::allocate_on_host(std::int64_t bytes) { return HostDevice::allocate(bytes, "host memory"); }
void HostDevice::release_on_host(void* memory) { HostDevice::release(memory); }

void HostDevice::fill(const InputSpec& spec, ScalarType type, void* array) { tally::fill(spec, type, array); }
void HostDevice::poison(void* memory, std::int64_t bytes) {
  std::memset(memory, poison_byte, static_cast<std::size_t>(bytes));
}
void HostDevice::zero(void* memory, std::int64_t bytes) {
  std::memset(memory, 0, static_cast<std::size_t>(bytes));
}
void HostDevice::copy(void* target, const void* source, std::int64_t bytes) {
  std::memmove(target, source, static_cast<std::size_t>(bytes));
}
void HostDevice::copy_to_host(void* target, const void* source, std::int64_t bytes) {
  std::memcpy(target, source, static_cast<std::size_t>(bytes));
}

void HostDevice::run(const Work& work) { work(queue()); }

void HostDevice::flush_caches() {
  if (flush_buffer_.empty()) flush_buffer_.assign(static_cast<std::size_t>(2 * facts_.l2_bytes), 1);
  const int sum = std::accumulate(flush_buffer_.begin(), flush_buffer_.end(), 0);
  asm volatile("" : : "r"(sum));  // the reads must happen
}

double HostDevice::sample(const Work& work, const Work& before, const SampleRequest& request) {
  if (before) before(queue());
  if (request.cache == CacheState::cold) flush_caches();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < request.batch; ++i) work(queue());
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / request.batch;
}

std::unique_ptr<Device> open_host_device() { return std::make_unique<HostDevice>(); }

}  // namespace tally
