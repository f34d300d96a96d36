#include "harness/device/device.h"

#include <vector>

#include "harness/device/bits_hash.h"

namespace tally {

std::string identity_of(const DeviceFacts& facts) {
  if (!facts.uuid.empty()) return facts.uuid;
  return std::string(name_of(facts.kind)) + ":" + std::to_string(facts.index);
}

std::uint64_t Device::hash(const void* array, std::int64_t bytes) {
  std::vector<char> copied(static_cast<std::size_t>(bytes));
  copy_to_host(copied.data(), array, bytes);
  return hash_of_bits(copied.data(), bytes);
}

Device::Work Device::recorded(const Work&) {
  throw DeviceError("device " + std::string(name_of(facts().kind)) + " knows no graphs");
}

}  // namespace tally
