#pragma once

#include <memory>
#include <optional>
#include <string>

#include "harness/catalog/entry.h"
#include "harness/measure/arrays.h"
#include "harness/measure/cell.h"
#include "harness/measure/right_answers.h"

namespace tally {

/// What one checked call showed.
struct CheckedCall {
  bool right = true;
  std::string reason;  ///< why it is wrong, both values in it
  CheckResult figures;
  std::uint64_t hash = 0;  ///< of the outputs' bits
  double seconds = 0;      ///< that the call took, by the host's clock
};

/// An entry set up for a problem whose inputs are in place: the timed call and the scratch memory behind it.
class PreparedEntry {
 public:
  /// Throws std::logic_error where the entry has no implementation for the problem on the arrays' device, and
  /// whatever the entry's own set-up throws. `right_answers` are looked up and added to by check(); it may be
  /// null.
  PreparedEntry(const Entry& entry, const Tuning& tuning, const Problem& problem, ProblemArrays& arrays,
                RightAnswers* right_answers = nullptr);

  const Entry& entry() const { return entry_; }
  Device& device() const { return arrays_.device(); }

  /// The call as that clock sees it: with `end_to_end`, an answer on the device is copied to the host.
  Device::Work work(Clock clock) const;

  /// The call recorded as a graph. Throws DeviceError where it cannot be recorded, and where a replay gives a
  /// wrong answer.
  Device::Work recorded();

  /// What must be restored before each call, or empty.
  Device::Work restore() const { return arrays_.restore(entry_.destroys_input); }

  /// Brings back, untimed, the inputs that its calls destroy: other entries use the same arrays.
  void restore_inputs();

  /// Counters that the entry itself keeps of its last call.
  std::map<std::string, double> counters() const;

  /// Fills the inputs, poisons outputs and scratch, calls once and looks at everything: the answer, what the
  /// device's own checks found, memory around the arrays, and the inputs, which it leaves restored.
  CheckedCall check();

  /// Calls once more with poisoned outputs; only the bits of the answer are looked at. Leaves the inputs as
  /// the call does.
  std::uint64_t hash_of_one_call();

  /// What is wrong with the answer of the last call, which has that hash, both values in it; nothing where it
  /// is right.
  std::optional<std::string> fault_of_answer(std::uint64_t hash);

  /// Damage around the scratch memory or the arrays.
  std::optional<std::string> damage() const;

 private:
  std::string reason_of(const CheckResult& figures) const;
  CheckResult figures_of(std::uint64_t hash);
  std::uint64_t hash_after(const Device::Work& call);

  const Entry& entry_;
  const Tuning tuning_;
  const Problem& problem_;
  ProblemArrays& arrays_;
  RightAnswers* right_answers_;
  std::unique_ptr<GuardedScratch> scratch_;
  Prepared prepared_;
};

}  // namespace tally
