#include "harness/measure/arrays.h"

#include <algorithm>
#include <cstring>

#include "harness/device/bits_hash.h"

namespace tally {
namespace {

bool is_input(const BufferSpec& spec) { return spec.role != BufferSpec::Role::output; }
bool is_output(const BufferSpec& spec) { return spec.role != BufferSpec::Role::input; }

/// Of several arrays in their order.
std::uint64_t with_next(std::uint64_t hash, std::uint64_t next) { return mixed_bits(hash) ^ next; }

}  // namespace

ProblemArrays::ProblemArrays(Device& device, const Problem& problem, bool answer_on_host) : device_(device) {
  for (const BufferSpec& spec : problem.buffers()) {
    Array array{spec,
                std::make_unique<GuardedMemory>(device, spec.bytes(), spec.name, spec.misaligned_bytes()),
                nullptr,
                false,
                {}};
    buffers_.arrays.push_back(array.memory->data());
    if (is_output(spec) && answer_bytes_ == 0) answer_bytes_ = spec.bytes();
    arrays_.push_back(std::move(array));
  }
  if (answer_on_host && answer_bytes_ > 0) buffers_.answer_on_host = device.allocate_on_host(answer_bytes_);
}

ProblemArrays::~ProblemArrays() {
  if (buffers_.answer_on_host != nullptr) device_.release_on_host(buffers_.answer_on_host);
}

void ProblemArrays::fill_inputs(const Problem& problem) {
  const std::vector<BufferSpec> specs = problem.buffers();
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    Array& array = arrays_[i];
    array.spec = specs.at(i);
    if (!is_input(array.spec)) continue;
    device_.fill(array.spec.input, array.spec.type, array.memory->data());
    array.pristine_is_current = false;
  }
}

void ProblemArrays::poison_outputs() {
  for (const Array& array : arrays_) {
    if (!is_input(array.spec)) device_.poison(array.memory->data(), array.memory->bytes());
  }
  if (buffers_.answer_on_host != nullptr) {
    std::memset(buffers_.answer_on_host, 0xFB, static_cast<std::size_t>(answer_bytes_));
  }
}

Device::Work ProblemArrays::restore(bool inputs_too) {
  struct Copy {
    void* target;
    const void* source;
    std::size_t bytes;
  };
  std::vector<Copy> copies;
  for (Array& array : arrays_) {
    const bool wanted = is_input(array.spec) && (inputs_too || is_output(array.spec));
    if (!wanted) continue;
    const std::int64_t bytes = array.memory->bytes();
    if (!array.pristine) {
      array.pristine = std::make_unique<GuardedMemory>(device_, bytes, "copy of " + array.spec.name);
    }
    if (!array.pristine_is_current) {
      device_.fill(array.spec.input, array.spec.type, array.pristine->data());
      array.pristine_is_current = true;
    }
    copies.push_back({array.memory->data(), array.pristine->data(), static_cast<std::size_t>(bytes)});
  }
  if (copies.empty()) return {};
  return [copies](DeviceQueue& queue) {
    for (const Copy& copy : copies) queue.copy(copy.target, copy.source, copy.bytes);
  };
}

std::vector<const void*> ProblemArrays::outputs(bool first_on_host) {
  std::vector<const void*> found;
  for (Array& array : arrays_) {
    if (!is_output(array.spec)) continue;
    array.host.resize(static_cast<std::size_t>(array.memory->bytes()));
    if (found.empty() && first_on_host) {
      std::memcpy(array.host.data(), buffers_.answer_on_host, array.host.size());
    } else {
      device_.copy_to_host(array.host.data(), array.memory->data(), array.memory->bytes());
    }
    found.push_back(array.host.data());
  }
  return found;
}

std::uint64_t ProblemArrays::hash_of_outputs(bool first_on_host) const {
  std::uint64_t hash = 1;
  for (const Array& array : arrays_) {
    if (!is_output(array.spec)) continue;
    hash = with_next(hash, first_on_host ? hash_of_bits(buffers_.answer_on_host, array.memory->bytes())
                                         : device_.hash(array.memory->data(), array.memory->bytes()));
    first_on_host = false;
  }
  return hash;
}

std::uint64_t ProblemArrays::hash_of_inputs() const {
  std::uint64_t hash = 1;
  for (const Array& array : arrays_) {
    if (array.spec.role != BufferSpec::Role::input) continue;
    hash = with_next(hash, device_.hash(array.memory->data(), array.memory->bytes()));
  }
  return hash;
}

std::optional<std::string> ProblemArrays::changed_input() const {
  std::vector<char> now;
  std::vector<char> before;
  for (const Array& array : arrays_) {
    if (array.spec.role != BufferSpec::Role::input) continue;
    now.resize(static_cast<std::size_t>(array.memory->bytes()));
    before.resize(now.size());
    device_.copy_to_host(now.data(), array.memory->data(), array.memory->bytes());
    fill(array.spec.input, array.spec.type, before.data());
    const auto [place, unused] = std::mismatch(now.begin(), now.end(), before.begin());
    if (place == now.end()) continue;
    const auto element = (place - now.begin()) / static_cast<std::ptrdiff_t>(size_of(array.spec.type));
    return "wrote over its input: " + array.spec.name + "[" + std::to_string(element) +
           "] changed, and it does not declare destroys_input()";
  }
  return std::nullopt;
}

std::optional<std::string> ProblemArrays::damage() const {
  for (const Array& array : arrays_) {
    if (auto found = array.memory->damage()) return found;
    if (array.pristine) {
      if (auto found = array.pristine->damage()) return found;
    }
  }
  return std::nullopt;
}

std::int64_t footprint_of(const Device& device, const Problem& problem, bool with_copies) {
  std::int64_t total = 0;
  for (const BufferSpec& spec : problem.buffers()) {
    const bool copied = is_input(spec) && (with_copies || is_output(spec));
    total += GuardedMemory::footprint(device, spec.bytes(), spec.misaligned_bytes());
    if (copied) total += GuardedMemory::footprint(device, spec.bytes());
  }
  return total;
}

}  // namespace tally
