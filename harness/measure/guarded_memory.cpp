#include <algorithm>
#include <vector>

#include "harness/measure/arrays.h"

namespace tally {
namespace {

constexpr std::int64_t guard_bytes = 256;   // keeps the alignment that the device gives
constexpr unsigned char guard_byte = 0xFB;  // what Device::poison() writes

/// The CPU executor looks after every access itself, and a zone of ours would hide the one past the end from
/// it.
std::int64_t guard_of(const Device& device) {
  return device.facts().kind == DeviceKind::simt ? 0 : guard_bytes;
}

/// Place of the first damaged byte in a zone, or -1.
std::int64_t first_damaged(Device& device, const char* zone, std::int64_t bytes) {
  std::vector<unsigned char> copy(static_cast<std::size_t>(bytes));
  if (bytes > 0) device.copy_to_host(copy.data(), zone, bytes);
  const auto place = std::find_if(copy.begin(), copy.end(), [](auto byte) { return byte != guard_byte; });
  return place == copy.end() ? -1 : place - copy.begin();
}

}  // namespace

GuardedMemory::GuardedMemory(Device& device, std::int64_t bytes, std::string name,
                             std::int64_t misaligned_bytes)
    : device_(device),
      bytes_(bytes),
      name_(std::move(name)),
      before_(guard_of(device) + misaligned_bytes),
      after_(guard_of(device)),
      base_(static_cast<char*>(device.allocate(footprint(device, bytes, misaligned_bytes), name_))) {
  device.poison(base_, before_ + bytes + after_);
}

GuardedMemory::~GuardedMemory() { device_.release(base_); }

std::int64_t GuardedMemory::footprint(const Device& device, std::int64_t bytes,
                                      std::int64_t misaligned_bytes) {
  return guard_of(device) + misaligned_bytes + std::max<std::int64_t>(bytes, 1) + guard_of(device);
}

std::optional<std::string> GuardedMemory::damage() const {
  const std::int64_t after = first_damaged(device_, base_ + before_ + bytes_, after_);
  if (after >= 0) {
    return "wrote out of bounds: byte " + std::to_string(after) + " after the end of " + name_ + " (" +
           std::to_string(bytes_) + " bytes)";
  }
  const std::int64_t before = first_damaged(device_, base_, before_);
  if (before >= 0) {
    return "wrote out of bounds: byte " + std::to_string(before_ - before) + " before the start of " + name_;
  }
  return std::nullopt;
}

GuardedScratch::~GuardedScratch() {
  for (void* memory : host_pieces_) device_.release_on_host(memory);
}

void* GuardedScratch::allocate(std::size_t bytes, Content content) {
  auto memory =
      std::make_unique<GuardedMemory>(device_, static_cast<std::int64_t>(bytes), "scratch of " + owner_);
  if (content == Content::zeroed) device_.zero(memory->data(), memory->bytes());
  pieces_.push_back({std::move(memory), content});
  return pieces_.back().memory->data();
}

void* GuardedScratch::allocate_on_host(std::size_t bytes) {
  host_pieces_.push_back(device_.allocate_on_host(static_cast<std::int64_t>(bytes)));
  return host_pieces_.back();
}

std::int64_t GuardedScratch::bytes() const {
  std::int64_t total = 0;
  for (const Piece& piece : pieces_) total += piece.memory->bytes();
  return total;
}

void GuardedScratch::poison() {
  for (const Piece& piece : pieces_) {
    if (piece.content == Content::poisoned) device_.poison(piece.memory->data(), piece.memory->bytes());
  }
}

std::optional<std::string> GuardedScratch::damage() const {
  for (const Piece& piece : pieces_) {
    if (auto found = piece.memory->damage()) return found;
  }
  return std::nullopt;
}

}  // namespace tally
