#include "harness/device/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <utility>

namespace tally::cuda {
namespace {

// NVML's header is not part of every toolkit; its ABI is stable, and this is all of it that is used here.
using Status = int;
using Handle = struct OpaqueDevice*;
constexpr Status success = 0;
constexpr int sm_clock = 1;
constexpr int memory_clock = 2;
constexpr int gpu_temperature = 0;

// Idle and settings chosen by the user slow a card down too; only what the card does to protect itself
// counts.
constexpr std::array<std::pair<unsigned long long, const char*>, 5> throttling{{
    {0x04, "power cap"},
    {0x08, "hardware slowdown"},
    {0x20, "thermal (software)"},
    {0x40, "thermal (hardware)"},
    {0x80, "power brake"},
}};

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  Handle device = nullptr;
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  Status (*by_bus_id)(const char*, Handle*) = nullptr;
  Status (*clock)(Handle, int, unsigned*) = nullptr;
  Status (*temperature)(Handle, int, unsigned*) = nullptr;
  Status (*power)(Handle, unsigned*) = nullptr;
  Status (*reasons)(Handle, unsigned long long*) = nullptr;
  Status (*driver)(char*, unsigned) = nullptr;

  template <typename Function>
  bool find(Function& function, const char* name, const char* older_name = nullptr) {
    void* symbol = dlsym(handle, name);
    if (symbol == nullptr && older_name != nullptr) symbol = dlsym(handle, older_name);
    function = reinterpret_cast<Function>(symbol);
    return symbol != nullptr;
  }
};

Nvml::Nvml(const std::string& pci_bus_id) : library_(std::make_unique<Library>()) {
  Library& nvml = *library_;
  nvml.handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  const bool usable = nvml.handle != nullptr && nvml.find(nvml.init, "nvmlInit_v2") &&
                      nvml.find(nvml.shutdown, "nvmlShutdown") &&
                      nvml.find(nvml.by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
                      nvml.find(nvml.clock, "nvmlDeviceGetClockInfo") &&
                      nvml.find(nvml.temperature, "nvmlDeviceGetTemperature") &&
                      nvml.find(nvml.power, "nvmlDeviceGetPowerUsage") &&
                      nvml.find(nvml.reasons, "nvmlDeviceGetCurrentClocksEventReasons",
                                "nvmlDeviceGetCurrentClocksThrottleReasons") &&
                      nvml.find(nvml.driver, "nvmlSystemGetDriverVersion") && nvml.init() == success;
  if (!usable || nvml.by_bus_id(pci_bus_id.c_str(), &nvml.device) != success) {
    if (nvml.handle != nullptr) dlclose(nvml.handle);
    library_.reset();
  }
}

Nvml::~Nvml() {
  if (library_ == nullptr) return;
  library_->shutdown();
  dlclose(library_->handle);
}

std::optional<ClockReading> Nvml::read() const {
  if (library_ == nullptr) return std::nullopt;
  const Library& nvml = *library_;
  ClockReading reading;
  unsigned value = 0;
  if (nvml.clock(nvml.device, sm_clock, &value) == success) reading.sm_mhz = value;
  if (nvml.clock(nvml.device, memory_clock, &value) == success) reading.memory_mhz = value;
  if (nvml.temperature(nvml.device, gpu_temperature, &value) == success) reading.temperature_c = value;
  if (nvml.power(nvml.device, &value) == success) reading.power_w = value * 1e-3;
  unsigned long long reasons = 0;
  if (nvml.reasons(nvml.device, &reasons) == success) {
    for (const auto& [bit, name] : throttling) {
      if ((reasons & bit) == 0) continue;
      reading.throttled = true;
      reading.throttle_reasons += (reading.throttle_reasons.empty() ? "" : ", ") + std::string(name);
    }
  }
  return reading;
}

std::string Nvml::driver_version() const {
  std::array<char, 80> text{};
  if (library_ == nullptr || library_->driver(text.data(), text.size()) != success) return "";
  return text.data();
}

}  // namespace tally::cuda
