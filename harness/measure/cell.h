#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/catalog/entry.h"
#include "harness/device/device.h"
#include "harness/problems/problem.h"

namespace tally {

/// One question: how fast is this entry, so tuned, on this problem, with this clock and this cache state?
struct Cell {
  const Entry* entry = nullptr;
  ProblemKey problem;
  Tuning tuning;
  CacheState cache = CacheState::cold;
  Clock clock = Clock::device;
  DeviceKind device = DeviceKind::simt;

  /// "<family>/korean_course/reduce2/op:sum/type:float32/n:1024/blocks:256/threads:256/cold/device": no two
  /// cells share it.
  std::string name() const;
};

/// All cells of one problem, and the full names of the baselines that they are compared with.
struct Group {
  ProblemKey problem;
  std::vector<Cell> cells;
  std::vector<std::string> baselines;
};

/// The config's `measure`.
struct MeasureSettings {
  std::vector<CacheState> caches = {CacheState::cold};
  std::vector<Clock> clocks = {Clock::device};
  double half_width = 0.005;  ///< of the 95% interval of the median, relative
  int min_samples = 20;
  int max_samples = 1000;
  double max_seconds = 0.4;  ///< of sampling, a cell
  int rounds = 10;           ///< at least: entries take turns so many times
  int processes = 1;         ///< fresh processes a group; each is a repetition
  int contexts = 1;          ///< at most, that each opens to find one like the others': Settling
  std::uint64_t seed = 1;    ///< of the rounds' order and of bootstraps
};

/// The config's `check`.
struct CheckSettings {
  std::vector<std::int64_t> sizes = {1,  2,    31,
                                     33, 1000, 1000003};  ///< besides the measured ones; capped as they are
  std::vector<Distribution> distributions = {Distribution::uniform, Distribution::mixed_sign,
                                             Distribution::cancelling, Distribution::wide_exponents,
                                             Distribution::exact};
  int launches = 100;       ///< for the count of distinct answers
  bool under_load = false;  ///< the device is kept busy with work of others meanwhile
  std::uint64_t seed = 1;   ///< of the inputs
};

}  // namespace tally
