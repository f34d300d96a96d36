#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure/observer.h"
#include "harness/measure/prepared_entry.h"

namespace tally {

/// What the checks of an entry on a problem came to.
struct Verdict {
  bool right = true;
  std::string reason;  ///< of the first wrong answer
  std::map<std::string, DistributionError> distributions;
  bool under_load = false;  ///< the calls ran beside work of others
};

/// Opened devices by kind.
using DeviceOf = std::function<Device&(DeviceKind)>;

/// Holds entries against the exact answers, before anything is timed. It remembers what it found at the odd
/// sizes, which do not depend on the measured size.
class Checker {
 public:
  /// `largest_n`: no odd size above it is tried on that kind of device; absent: no such cap.
  Checker(CheckSettings settings, std::map<DeviceKind, std::int64_t> largest_n)
      : settings_(std::move(settings)), largest_n_(std::move(largest_n)) {}

  /// The odd sizes, all distributions. Sizes that the family or the entry cannot take, or that do not fit
  /// into the memory, are passed over, and so are large outputs, of which one problem is tried where all
  /// sizes have them (a few indices into a long array). Stops at the first wrong answer.
  Verdict at_odd_sizes(const Cell& cell, Device& device, Observer& observer);

  /// The measured problem, all distributions but its own, in `arrays`. Of a problem with large outputs none:
  /// they would cost more than the measurement, and the odd sizes have seen them.
  Verdict on_problem(const Cell& cell, ProblemArrays& arrays, Observer& observer);

  /// Calls the prepared entry until all but one of `launches` calls are had (the check after timing is the
  /// last), or for most_seconds_of_launches(), and notes the answers in `hashes`, which holds those seen
  /// before. Every answer that was not seen before is held against the exact one: what goes wrong once in a
  /// hundred calls is no other right answer. A call that leaves memory behind each time is wrong. With
  /// `under_load`, where the device has such a thing, work of others runs beside the calls.
  Verdict repeatedly(PreparedEntry& prepared, const Cell& cell, double seconds_a_call, double seconds_a_check,
                     std::vector<std::uint64_t>& hashes, Observer& observer) const;

  /// Finds the exact answers to that problem ahead, for all distributions, where they are one number: the
  /// checks will have them remembered. Needs no device, so that it may run while one opens.
  void find_exact_answers(const ProblemKey& key) const;

  const CheckSettings& settings() const { return settings_; }

  /// Of all checks that were made with it; more may be added.
  RightAnswers& right_answers() { return right_answers_; }

 private:
  CheckSettings settings_;
  RightAnswers right_answers_;
  std::map<DeviceKind, std::int64_t> largest_n_;
  std::map<std::string, Verdict> known_;
  /// The measured problem under other distributions: all its entries are held against the same exact answers.
  std::map<Distribution, std::unique_ptr<Problem>> problems_;
  std::string problems_of_;
};

/// What a problem's entries write, all outputs together.
struct OutputSize {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;

  /// Then the exact answer is found once for all entries, and comparing costs nothing.
  bool is_one_number() const { return elements == 1; }

  /// Copying and comparing it costs more than measuring; it is done for one distribution only.
  bool is_large() const { return bytes > (64 << 20); }
};
OutputSize output_size_of(const Problem& problem);

/// After so many seconds of repeated launches there are no more of them, if there were so many.
double most_seconds_of_launches(bool under_load);
constexpr int fewest_launches = 3;

/// A generous guess for the watchdog, before anything is known of the call: filling, the call by its entry's
/// cost model, and exact arithmetic on all elements.
double expected_check_seconds(const Cell& cell, const Problem& problem);

/// Problem keys that differ only in what is given.
ProblemKey with_distribution(ProblemKey key, Distribution distribution);

}  // namespace tally
