#include "harness/measure/stopping.h"

#include <algorithm>
#include <cmath>

#include "harness/measure/statistics.h"

namespace tally {

std::optional<StopReason> StoppingRule::after(const std::vector<double>& samples, int turns,
                                              double seconds) const {
  const auto count = static_cast<std::int64_t>(samples.size());
  if (count >= settings_.min_samples && turns >= settings_.rounds) {
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    const auto interval = median_interval(sorted);
    if (interval) {
      const double half_width = (interval->high - interval->low) / 2;
      if (half_width <= settings_.half_width * median_of_sorted(sorted)) return StopReason::precise;
    }
  }
  if (count >= settings_.max_samples) return StopReason::samples;
  if (seconds >= settings_.max_seconds) return StopReason::seconds;
  return std::nullopt;
}

int StoppingRule::samples_in_a_turn(double seconds_a_sample) const {
  constexpr double shortest_turn = 1e-3;
  const double rounds = std::max(settings_.rounds, 1);
  const double cost = std::max(seconds_a_sample, 1e-9);
  const double share = std::ceil(settings_.min_samples / rounds);
  const double filling = std::ceil(shortest_turn / cost);
  const double affordable = std::floor(settings_.max_seconds / (rounds * cost));
  const double allowed = std::ceil(settings_.max_samples / rounds);
  return static_cast<int>(std::max(1.0, std::min({std::max(share, filling), affordable, allowed})));
}

}  // namespace tally
