#include "harness/measure/settle.h"

#include <algorithm>
#include <optional>

namespace tally {
namespace {

double shorter(double one, double other) {
  if (one <= 0) return other;
  return other <= 0 ? one : std::min(one, other);
}

bool is_like(const Pace& pace, const Pace& best) {
  return pace.launch_gap <= best.launch_gap * (1 + Settling::alike_gaps) &&
         pace.round_trip <= best.round_trip * (1 + Settling::alike_trips);
}

}  // namespace

Pace shorter_of(const Pace& one, const Pace& other) {
  return {shorter(one.launch_gap, other.launch_gap), shorter(one.round_trip, other.round_trip)};
}

std::unique_ptr<Device> open_settled(const std::function<std::unique_ptr<Device>()>& open,
                                     const Settling& settling) {
  Pace best = settling.best;
  const int needed = best.launch_gap > 0 ? 1 : (settling.openings + 1) / 2;
  for (int opened = 1;; ++opened) {
    std::unique_ptr<Device> device = open();
    const std::optional<Pace> pace = device->pace();
    if (!pace || opened >= settling.openings) return device;
    best = shorter_of(best, *pace);
    if (opened >= needed && is_like(*pace, best)) return device;
    device->leave_with_everything();
  }
}

}  // namespace tally
