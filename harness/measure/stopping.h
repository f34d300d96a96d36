#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/measure/cell.h"

namespace tally {

/// Why the sampling of a cell ended.
enum class StopReason : std::uint8_t {
  precise,  ///< the 95% interval of the median is as narrow as was asked
  samples,  ///< as many samples as are allowed
  seconds,  ///< as much time as is allowed
};

constexpr std::string_view name_of(StopReason reason) {
  return reason == StopReason::precise ? "precise" : reason == StopReason::samples ? "samples" : "seconds";
}

/// Decides after each turn whether a cell has been sampled enough. Pure: it is told what was taken and how
/// long that took, and has no clock.
class StoppingRule {
 public:
  explicit StoppingRule(const MeasureSettings& settings) : settings_(settings) {}

  /// `samples` in the order taken, `turns` had so far, `seconds` spent on them, flushes and restores
  /// included. Nothing: go on.
  std::optional<StopReason> after(const std::vector<double>& samples, int turns, double seconds) const;

  /// Samples of one turn, from what a pilot says that one sample costs: an even share of the fewest samples,
  /// more where a turn would be shorter than a millisecond, fewer where the time would not last for all
  /// rounds.
  int samples_in_a_turn(double seconds_a_sample) const;

 private:
  MeasureSettings settings_;
};

}  // namespace tally
