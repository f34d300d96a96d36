#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/device/device.h"

namespace tally::cuda {

/// Clocks, heat and throttling as the driver's management library (NVML) tells them. The library is loaded at
/// run time; a machine without it has no readings. Nothing here changes a setting of the card.
class Nvml {
 public:
  /// The GPU with that PCI bus id ("0000:18:00.0").
  explicit Nvml(const std::string& pci_bus_id);
  ~Nvml();

  std::optional<ClockReading> read() const;
  std::string driver_version() const;  ///< empty without the library

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace tally::cuda
