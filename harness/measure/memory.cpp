#include "harness/measure/memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace tally {
namespace {

constexpr std::int64_t leak_a_call = 16 << 10;
constexpr std::size_t fewest_calls = 3;

}  // namespace

std::int64_t available_host_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    long long kibibytes = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld kB", &kibibytes) == 1) return kibibytes * 1024;
  }
  return 0;
}

std::int64_t available_memory(Device& device) {
  const std::int64_t now = device.free_memory();
  if (now >= 0) return now;
  if (device.facts().kind == DeviceKind::cuda) return device.facts().free_memory_bytes;
  const std::int64_t host = available_host_memory();
  return host > 0 ? host : device.facts().free_memory_bytes;
}

std::string in_words(std::int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  const char* const units[] = {"KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %s", value, units[unit]);
  return text;
}

LeakDetector::LeakDetector(Device& device) : device_(device), used_{used_now()} {}

LeakDetector::Used LeakDetector::used_now() const {
  const auto heap = mallinfo2();
  const std::int64_t free_on_device = device_.free_memory();
  return {static_cast<std::int64_t>(heap.uordblks + heap.hblkhd), free_on_device >= 0 ? -free_on_device : 0};
}

void LeakDetector::after_call() { used_.push_back(used_now()); }

std::optional<std::string> LeakDetector::verdict() const {
  if (used_.size() <= fewest_calls) return std::nullopt;
  for (const auto& [memory, where] : {std::pair(&Used::host, "host"), std::pair(&Used::device, "device")}) {
    std::vector<std::int64_t> growth;
    for (std::size_t i = 1; i < used_.size(); ++i) growth.push_back(used_[i].*memory - used_[i - 1].*memory);
    std::sort(growth.begin(), growth.end());
    if (growth.front() >= leak_a_call) {
      // The middle one: a single call's also holds what else the process took or gave back meanwhile.
      const std::int64_t typical = growth[growth.size() / 2];
      return "leaks memory: about " + in_words(typical) + " of " + where + " memory a call";
    }
  }
  return std::nullopt;
}

}  // namespace tally
