#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure/checker.h"
#include "harness/measure/prepared_entry.h"
#include "harness/measure/sampler.h"

namespace tally {

/// An entry with one tuning in a group: its cells differ in cache state and clock only.
struct Entrant {
  enum class State : std::uint8_t {
    running,  ///< checked and right so far
    failed,   ///< its cells have failures and no rows
    final,    ///< all its cells are sampled and it was right once more afterwards
  };

  const Cell* sample_cell = nullptr;  ///< any of its cells: entry, problem, tuning and device
  std::vector<std::size_t> contenders;
  State state = State::running;
  std::unique_ptr<PreparedEntry> prepared;
  CheckFigures figures;
  std::vector<std::uint64_t> hashes;  ///< of the answers to the measured problem
  double seconds_a_call = 0;
  std::map<std::string, double> counters;
  bool known_wrong = false;
  bool damaged_memory = false;
};

/// The device's clocks, asked at most every 50 ms: NVML takes longer to answer than many a turn lasts. While
/// they are throttled they are asked each time.
class ClockReader {
 public:
  std::optional<ClockReading> read(Device& device);

 private:
  std::optional<ClockReading> last_;
  std::chrono::steady_clock::time_point taken_ = {};
};

/// Takes turns of one cell on its device: pilot, samples through Google Benchmark's loop, and the clocks'
/// readings.
class CellSampler {
 public:
  CellSampler(const Cell& cell, Entrant& entrant, MeasureSettings settings, ClockReader& clock_reader);

  Contender::Pilot pilot();
  Turn take_turn(int round, int samples, int batch);

  const Cell& cell() const { return cell_; }
  const std::optional<ClockReading>& clocks() const { return reading_; }

 private:
  double one_sample(int batch);
  Contender::Pilot timed_pilot();
  Turn attempt(int round, int samples, int batch);

  const Cell& cell_;
  Entrant& entrant_;
  MeasureSettings settings_;
  ClockReader& clock_reader_;
  std::string name_;
  Device& device_;
  Device::Work work_;
  Device::Work restore_;
  bool recorded_ = false;  ///< work_ replays a graph
  std::optional<ClockReading> reading_;
  double throttled_seconds_ = 0;
};

}  // namespace tally
