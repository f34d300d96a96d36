#pragma once

#include <chrono>
#include <map>
#include <string>

#include "harness/measure/observer.h"

namespace tally {

/// What an activity counts as in the account of a run's time: "sampling", "checks at small sizes", …
std::string account_of(const Activity& activity);

/// Where one worker's time goes, by what it is busy with.
class TimeSpent {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// From now on it is busy with that.
  void on(const std::string& account, Instant now = std::chrono::steady_clock::now());

  /// From now on it does nothing.
  void rest(Instant now = std::chrono::steady_clock::now()) { on("", now); }

  /// Seconds of each account, up to the last change.
  const std::map<std::string, double>& seconds() const { return seconds_; }

 private:
  std::string account_;
  Instant since_;
  std::map<std::string, double> seconds_;
};

/// "1 min 43 s; of the workers' time 60 % sampling, 31 % checks at small sizes, …": the largest first.
std::string time_in_words(double wall, const std::map<std::string, double>& seconds);

}  // namespace tally
