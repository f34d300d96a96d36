#pragma once

#include <cstdint>
#include <string_view>

namespace tally {

/// Where an entry runs: a GPU, the CPU executor that counts, or library code on the CPU.
enum class DeviceKind : std::uint8_t { cuda, simt, host };

constexpr std::string_view name_of(DeviceKind kind) {
  return kind == DeviceKind::cuda ? "cuda" : kind == DeviceKind::simt ? "simt" : "host";
}

}  // namespace tally
