#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "harness/measure/random.h"

/// Times of imagined calls with a known distribution, for tests without a clock.
namespace tally::testing {

inline double uniform(RandomStream& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

/// Box and Muller's method.
inline double normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random));
}

/// One sample's time, given when it is taken (0 at the start of the cell, 1 after as many samples as
/// allowed).
using FakeClock = std::function<double(RandomStream&, double when)>;

/// Skewed as times are, spread `sigma`; the median is 1.
inline FakeClock lognormal(double sigma) {
  return [sigma](RandomStream& random, double) { return std::exp(sigma * normal(random)); };
}

/// A second mode, `gap` above, that takes `share` of the samples: a clock that has two states.
inline FakeClock bimodal(double share, double gap, double sigma) {
  return [=](RandomStream& random, double) {
    const double mode = uniform(random) < share ? 1 + gap : 1;
    return mode * std::exp(sigma * normal(random));
  };
}

/// Slower by `slope` from start to end: a card that warms up.
inline FakeClock drifting(double slope, double sigma) {
  return [=](RandomStream& random, double when) {
    return (1 + slope * when) * std::exp(sigma * normal(random));
  };
}

}  // namespace tally::testing
