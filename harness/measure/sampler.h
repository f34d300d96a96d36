#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "harness/measure/ratio.h"
#include "harness/measure/stopping.h"

namespace tally {

/// What one turn of a cell gave.
struct Turn {
  int round = 0;
  int batch = 1;                ///< calls behind one another in each sample
  std::vector<double> samples;  ///< seconds a call
  double cpu_seconds = 0;
  double seconds = 0;  ///< that the turn lasted, flushes and restores included
  bool throttled = false;
};

/// A cell as the sampler sees it.
struct Contender {
  /// A few calls that are not kept: what one sample costs, all included, and how many calls a sample has.
  struct Pilot {
    double seconds_a_sample = 0;
    int batch = 1;
  };
  std::function<Pilot()> pilot;
  std::function<Turn(int round, int samples, int batch)> take_turn;
  StoppingRule rule;

  // What was taken already, by this process or by one before it.
  Series series = {};
  int turns = 0;
  int batch = 0;  ///< 0 before the first turn
  int samples_in_a_turn = 0;
  double cpu_seconds = 0;
  double seconds = 0;
  bool throttled = false;
  std::optional<StopReason> stopped = {};

  /// Adds a turn and asks the rule.
  void add(const Turn& turn);
};

/// Gives the contenders turns, in a random order that is new in each round, until each has stopped. A round
/// that was begun before (turns added by hand) goes on with those who have not had theirs.
///
/// `after_turn(index)` is called after every turn; it returns false to end the sampling of all.
void take_turns(std::vector<Contender>& contenders, std::uint64_t seed,
                const std::function<bool(std::size_t index)>& after_turn);

/// The order of one round: a permutation of 0 … count - 1 that depends on the seed and the round alone.
std::vector<std::size_t> order_of_round(std::size_t count, int round, std::uint64_t seed);

}  // namespace tally
