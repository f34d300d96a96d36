#include "harness/measure/settle.h"

#include <algorithm>
#include <optional>

namespace tally {

std::unique_ptr<Device> open_settled(const std::function<std::unique_ptr<Device>()>& open,
                                     const Settling& settling) {
  double shortest = settling.known_gap;
  const int needed = shortest > 0 ? 1 : (settling.openings + 1) / 2;
  for (int opened = 1;; ++opened) {
    std::unique_ptr<Device> device = open();
    const std::optional<double> gap = device->launch_gap();
    if (!gap || opened >= settling.openings) return device;
    shortest = shortest > 0 ? std::min(shortest, *gap) : *gap;
    if (opened >= needed && *gap <= shortest * (1 + Settling::alike)) return device;
    device->leave_with_everything();
  }
}

}  // namespace tally
