#include "harness/sweep/device_choice.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <string_view>
#include <thread>

#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "harness/sweep/config.h"

namespace tally {
namespace {

constexpr int most_workers = 1024;

std::vector<int> all_of(DeviceKind kind) {
  int count = 1;
  if (kind == DeviceKind::cuda) count = std::max(count_gpus(), 1);
  if (kind == DeviceKind::simt) count = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<int> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

std::vector<int> parsed(const std::string& list) {
  const auto refuse = [&list](const std::string& why) -> ConfigError {
    return ConfigError("--devices \"" + list + "\": " + why + "; it must be all or numbers such as 0,2");
  };
  std::vector<int> indices;
  const char* place = list.data();
  const char* const last = place + list.size();
  while (true) {
    int index = -1;
    const auto [end, error] = std::from_chars(place, last, index);
    if (error != std::errc{} || index < 0 || index >= most_workers || (end != last && *end != ','))
      throw refuse("no number of a device stands at \"" + std::string(place, last) + "\"");
    if (std::find(indices.begin(), indices.end(), index) != indices.end())
      throw refuse("device " + std::to_string(index) + " is there twice");
    indices.push_back(index);
    if (end == last) return indices;
    place = end + 1;
  }
}

}  // namespace

DeviceChoice choose_device(const std::string& asked, const std::optional<std::string>& list) {
  if (asked == "auto") {
    const bool has_gpu =
        list == "all" ? count_gpus() > 0 : is_a_gpu_there(list ? parsed(*list) : std::vector<int>{0});
    return {has_gpu ? DeviceKind::cuda : DeviceKind::simt};
  }
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::simt, DeviceKind::host}) {
    if (asked == name_of(kind)) return {kind};
  }
  constexpr std::string_view gpu = "cuda:";
  if (asked.starts_with(gpu)) {
    int index = -1;
    const auto [end, error] = std::from_chars(asked.data() + gpu.size(), asked.data() + asked.size(), index);
    if (error == std::errc{} && end == asked.data() + asked.size() && index >= 0)
      return {DeviceKind::cuda, index, true};
  }
  throw ConfigError("there is no device \"" + asked + "\"; known: auto, cuda, cuda:N, simt, host");
}

std::vector<int> choose_indices(const DeviceChoice& choice, const std::optional<std::string>& list) {
  if (!list) return {choice.index};
  if (choice.names_its_index) {
    throw ConfigError("--devices and the device cuda:" + std::to_string(choice.index) +
                      " both say which GPU; leave one of them out");
  }
  const std::vector<int> indices = *list == "all" ? all_of(choice.kind) : parsed(*list);
  if (choice.kind == DeviceKind::host && indices.size() > 1)
    throw ConfigError("--devices \"" + *list +
                      "\": on device host library code is timed with all cores, by one "
                      "worker; leave --devices out");
  return indices;
}

DeviceFacts facts_of_all(const std::vector<DeviceFacts>& devices) {
  DeviceFacts common = devices.front();
  std::map<std::string, std::string> lists;
  for (const DeviceFacts& device : devices) {
    std::string& list = lists[device.name];
    list += (list.empty() ? "" : ",") + std::to_string(device.index);
    common.memory_bytes = std::min(common.memory_bytes, device.memory_bytes);
    common.free_memory_bytes = std::min(common.free_memory_bytes, device.free_memory_bytes);
  }
  if (lists.size() == 1) return common;
  std::string text;
  for (const auto& [name, list] : lists) {
    text += text.empty() ? "" : ", ";
    text += "--devices " + list + " (" + name + ")";
  }
  throw ConfigError(
      "the devices are of several kinds, whose rows cannot be compared; run each kind by itself: " + text);
}

std::string no_gpu_notice(DeviceKind kind) {
  if (kind == DeviceKind::cuda) return "";
  if (kind == DeviceKind::host) {
    return "No GPU was used: times are the CPU's, of library code on device host, and say nothing of a GPU.";
  }
  if (!simt::counting_available()) {
    return "No GPU was used: kernels ran on the CPU executor (device simt), which checks their answers and counts "
           "nothing, for they were not compiled by clang; library baselines ran on the CPU.";
  }
  return "No GPU was used: kernels ran on the CPU executor (device simt), whose numbers are checks and counts, not "
         "times; library baselines ran on the CPU.";
}

}  // namespace tally
