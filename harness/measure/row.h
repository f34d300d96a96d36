#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/cell.h"
#include "harness/measure/ratio.h"

namespace tally {

/// Errors of an answer under one distribution of inputs.
struct DistributionError {
  double ulp = 0;
  double error = 0;
  std::int64_t n = 0;  ///< the size at which it was found
};

/// What the checks of a cell's entry showed.
struct CheckFigures {
  double ulp = 0;    ///< on the measured problem
  double error = 0;  ///< |error| / (u · Σ|terms|)
  double condition = 1;
  int launches = 0;  ///< of the measured problem, whose answers were compared bit for bit
  int distinct = 0;  ///< different answers among them
  std::map<std::string, DistributionError> distributions;
  bool under_load = false;  ///< those launches, beside work of others
};

/// The measured ceiling that a cell stands under.
struct CeilingFigures {
  std::string name;     ///< "hbm_read", "hbm_copy" or "l2_read"
  double seconds = 0;   ///< floor + bytes / bandwidth
  double fraction = 0;  ///< seconds / median
  bool above = false;   ///< faster than the ceiling by more than the noise
};

/// The result of one cell in one repetition, in plain values. JSON is made of it in harness/results/.
struct Row {
  std::string name;  ///< the cell's
  int family_index = 0;
  int per_family_instance_index = 0;
  int repetitions = 1;
  int repetition_index = 0;
  double cpu_seconds = 0;  ///< a call, by Google Benchmark's own CPU clock

  std::string entry;
  std::string family;
  std::string series;
  bool baseline = false;
  std::optional<int> stage;  ///< place in the series, from 0; none for baselines
  std::string follows;
  std::vector<Published> published;
  std::string problem;
  ScalarType type = ScalarType::float32;
  std::int64_t n = 0;
  Knobs knobs;
  Tuning tuning;
  CacheState cache = CacheState::cold;
  Clock clock = Clock::device;
  DeviceKind device = DeviceKind::simt;
  std::optional<int> gpu_index;
  std::string gpu_uuid;      ///< of the GPU that measured it
  std::optional<Pace> pace;  ///< Device::pace() of the process that measured it
  bool like_for_like = true;

  double bytes = 0;
  double items = 0;
  Series series_of_samples;  ///< seconds a call
  int batch = 1;
  double median = 0;
  std::optional<Interval> interval;
  double noise = 0;
  std::string stop_reason;

  std::map<std::string, Ratio> ratios;  ///< by baseline: its time over this entry's
  std::optional<CeilingFigures> ceiling;
  CheckFigures check;
  std::map<std::string, double> counters;
  std::optional<ClockReading> clocks;
};

/// A cell that has no row, and why.
struct Failure {
  enum class Status : std::uint8_t { skipped, wrong, crashed, timed_out, known_wrong };
  std::string cell;
  std::string entry;
  std::string problem;
  Status status = Status::skipped;
  std::string reason;
};

std::string_view name_of(Failure::Status status);

}  // namespace tally
