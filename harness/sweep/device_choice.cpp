#include "harness/sweep/device_choice.h"

#include <charconv>
#include <string_view>

#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "harness/sweep/config.h"

namespace tally {

DeviceChoice choose_device(const std::string& asked) {
  if (asked == "auto") return {count_gpus() > 0 ? DeviceKind::cuda : DeviceKind::simt, 0};
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::simt, DeviceKind::host}) {
    if (asked == name_of(kind)) return {kind, 0};
  }
  constexpr std::string_view gpu = "cuda:";
  if (asked.starts_with(gpu)) {
    int index = -1;
    const auto [end, error] = std::from_chars(asked.data() + gpu.size(), asked.data() + asked.size(), index);
    if (error == std::errc{} && end == asked.data() + asked.size() && index >= 0)
      return {DeviceKind::cuda, index};
  }
  throw ConfigError("there is no device \"" + asked + "\"; known: auto, cuda, cuda:N, simt, host");
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
