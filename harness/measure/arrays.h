#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/device.h"
#include "harness/device/scratch.h"
#include "harness/problems/problem.h"

namespace tally {

/// One stretch of device memory, poisoned, with a zone of known bytes before and after it, where the device
/// does not keep such zones itself. Released with the object.
class GuardedMemory {
 public:
  /// It begins `misaligned_bytes` after an address that is aligned to 256 bytes.
  GuardedMemory(Device& device, std::int64_t bytes, std::string name, std::int64_t misaligned_bytes = 0);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  void* data() const { return base_ + before_; }
  std::int64_t bytes() const { return bytes_; }
  const std::string& name() const { return name_; }

  /// "x was written 12 bytes after its end", or nothing.
  std::optional<std::string> damage() const;

  /// Bytes that allocating so many will take.
  static std::int64_t footprint(const Device& device, std::int64_t bytes, std::int64_t misaligned_bytes = 0);

 private:
  Device& device_;
  std::int64_t bytes_;
  std::string name_;
  std::int64_t before_;  ///< bytes of the zone before it, what misaligns it included
  std::int64_t after_;   ///< bytes of the zone after it
  char* base_;           ///< where the zone before it begins
};

/// The arrays of a problem on a device: filled, poisoned, restored and looked after.
class ProblemArrays {
 public:
  /// `answer_on_host` asks for host memory for the first output too. Throws DeviceError where there is not
  /// enough memory.
  ProblemArrays(Device& device, const Problem& problem, bool answer_on_host);
  ~ProblemArrays();
  ProblemArrays(const ProblemArrays&) = delete;
  ProblemArrays& operator=(const ProblemArrays&) = delete;

  const Buffers& buffers() const { return buffers_; }
  Device& device() const { return device_; }

  /// Fills the inputs with those of `problem`, which has the same buffers up to the inputs' values.
  void fill_inputs(const Problem& problem);

  /// Overwrites the outputs with bytes that no right answer has; those that are inputs too are left.
  void poison_outputs();

  /// What brings the inputs back, untimed, before a call that destroys them: copies that are made at the
  /// first request. Empty where nothing needs it: outputs that are inputs too always do, plain inputs where
  /// `inputs_too`.
  Device::Work restore(bool inputs_too);

  /// Copies the outputs to the host and returns where they are, in the order of Problem::buffers().
  /// `first_on_host`: the first one is at answer_on_host.
  std::vector<const void*> outputs(bool first_on_host);

  /// Distinct bits give distinct numbers (nearly always). `first_on_host` as in outputs().
  std::uint64_t hash_of_outputs(bool first_on_host) const;

  /// The same of the inputs that no entry may change.
  std::uint64_t hash_of_inputs() const;

  /// The first input that no longer holds what it was filled with, and where; looks at them on the host.
  std::optional<std::string> changed_input() const;

  /// Damage to any array's surroundings.
  std::optional<std::string> damage() const;

 private:
  struct Array {
    BufferSpec spec;
    std::unique_ptr<GuardedMemory> memory;
    std::unique_ptr<GuardedMemory> pristine;  ///< a copy as it was filled
    bool pristine_is_current = false;
    std::vector<char> host;
  };

  Device& device_;
  std::vector<Array> arrays_;
  Buffers buffers_;
  std::int64_t answer_bytes_ = 0;
};

/// Device memory, in bytes, that the arrays of a problem take; `with_copies` adds the copies that restore()
/// makes of the inputs.
std::int64_t footprint_of(const Device& device, const Problem& problem, bool with_copies);

/// The Scratch of one prepared entry.
class GuardedScratch final : public Scratch {
 public:
  explicit GuardedScratch(Device& device, std::string owner) : owner_(std::move(owner)), device_(device) {}
  ~GuardedScratch() override;

  const DeviceFacts& device() const override { return device_.facts(); }

  /// Of device memory that the entry asked for.
  std::int64_t bytes() const;

  /// Before a checked call.
  void poison();

  std::optional<std::string> damage() const;

 protected:
  void* allocate(std::size_t bytes, Content content) override;
  void* allocate_on_host(std::size_t bytes) override;

 private:
  struct Piece {
    std::unique_ptr<GuardedMemory> memory;
    Content content;
  };
  std::string owner_;
  Device& device_;
  std::vector<Piece> pieces_;
  std::vector<void*> host_pieces_;
};

}  // namespace tally
