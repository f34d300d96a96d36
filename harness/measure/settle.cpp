#include "harness/measure/settle.h"

#include <algorithm>
#include <optional>

namespace tally {
namespace {

double shorter(double one, double other) {
  if (one <= 0) return other;
  return other <= 0 ? one : std::min(one, other);
}

bool gaps_are_alike(const Pace& pace, const Pace& best) {
  return pace.launch_gap <= best.launch_gap * (1 + Settling::alike_gaps);
}

bool trips_are_alike(const Pace& pace, const Pace& best) {
  return pace.round_trip <= best.round_trip * (1 + Settling::alike_trips);
}

}  // namespace

Pace shorter_of(const Pace& one, const Pace& other) {
  return {shorter(one.launch_gap, other.launch_gap), shorter(one.round_trip, other.round_trip)};
}

std::unique_ptr<Device> open_settled(const std::function<std::unique_ptr<Device>()>& open,
                                     const Settling& settling) {
  Pace best = settling.best;
  const int half = (settling.openings + 1) / 2;
  const int needed = best.launch_gap > 0 ? 1 : half;
  for (int opened = 1;; ++opened) {
    std::unique_ptr<Device> device = open();
    const std::optional<Pace> pace = device->pace();
    if (!pace || opened >= settling.openings) return device;
    best = shorter_of(best, *pace);
    const bool only_gaps_count = opened > half;
    if (opened >= needed && gaps_are_alike(*pace, best) && (only_gaps_count || trips_are_alike(*pace, best)))
      return device;
    device->leave_with_everything();
  }
}

}  // namespace tally
