#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/measure/cell.h"
#include "harness/problems/problem.h"
#include "harness/sweep/json_positions.h"

namespace tally {

/// The config or the command line is wrong (exit code 2). One line: what is wrong, where, what would be
/// right.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(const std::string& message);
};

/// Values to try for some tunables. An empty list stands for "all": the values that each entry declares as
/// worth trying.
using TuningGrid = std::map<std::string, std::vector<std::int64_t>>;

/// One element of the config's `runs`, its lists still apart.
struct Run {
  std::string pointer;  ///< JSON pointer of the run, "/runs/0"
  std::string family;
  std::map<std::string, std::vector<KnobValue>> knobs;  ///< every knob of the family, defaults filled in
  std::vector<ScalarType> types;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> entries;    ///< full names or globs
  std::vector<TuningGrid> tunings;     ///< empty: every entry's default tuning
  std::vector<std::string> baselines;  ///< full names or globs; empty: all baselines among the entries
};

/// A config, read and valid in itself. What it asks for is held against the catalog in make_plan().
struct Sweep {
  std::string file;
  std::string title;
  std::string device = "auto";  ///< "auto", "cuda", "cuda:2", "simt" or "host"
  MeasureSettings measure;
  CheckSettings check;
  std::int64_t simt_max_n = 1 << 16;
  std::int64_t host_max_n = 1 << 24;
  std::vector<Run> runs;
  nlohmann::json json;  ///< the whole config as given
  JsonPositions positions;

  /// Equal for configs that ask for the same in the same words, whatever the order of their keys; 16 hex
  /// digits.
  std::string config_hash() const;

  /// A ConfigError that names the file, the line and the JSON pointer at which `problem` stands.
  ConfigError error_at(const std::string& pointer, const std::string& problem) const;
};

/// Reads and validates a config. Throws ConfigError.
Sweep read_config(const std::string& file);

/// The same for a config that is already in memory; `file` is the name that messages give it.
Sweep parse_config(const std::string& text, const std::string& file);

}  // namespace tally
