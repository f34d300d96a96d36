#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/catalog/tuning.h"
#include "harness/device/kind.h"
#include "harness/device/queue.h"
#include "harness/device/scratch.h"
#include "harness/problems/problem.h"

namespace tally {

/// What an entry says that one call costs. A test holds it against what the executor sees.
struct Cost {
  double bytes_read = 0;  ///< from global memory, scratch included
  double bytes_written = 0;
  std::int64_t launches = 1;
  std::int64_t partials = 0;  ///< values left between the launches, or for the host
  std::int64_t host_additions = 0;
};

/// A figure of the entry's source, on the source's machine.
struct Published {
  std::string machine;
  std::int64_t n;
  ScalarType type;
  double value;
  std::string unit;  ///< "ms", "us", "GB/s", "cycles"
};

/// A size or problem that the entry cannot take, and the reason that a person is told.
struct Need {
  std::string reason;  ///< "needs power-of-two n"
  std::function<bool(const ProblemKey&, const Tuning&)> holds;
};

/// What preparing an entry gives: the timed call, and counters that the entry itself keeps of its last call.
struct Prepared {
  std::function<void(DeviceQueue&)> call;
  std::function<std::map<std::string, double>()> counters = {};
};

/// An entry compiled for one device, one type and one set of knobs.
struct Implementation {
  DeviceKind device;
  ScalarType type;
  std::function<bool(const Problem&)> serves;
  std::function<Prepared(const Problem&, const Buffers&, const Tuning&, Scratch&)> prepare;
};

/// One hand-written or library implementation of a family.
struct Entry {
  enum class Kind : std::uint8_t { variant, baseline };

  std::string family;
  std::string series;
  std::string name;
  Kind kind = Kind::variant;
  std::string file;  ///< where it is written, from the repository's root
  int line = 0;

  std::string lesson;
  std::string source;       ///< the document the idea is from
  std::string predecessor;  ///< full name of the stage that it follows; empty for a first stage
  std::vector<ScalarType> types;
  std::vector<Tunable> tunables;
  std::vector<Need> needs;
  std::vector<Need> tuning_needs;                      ///< hold for a tuning alone; the key they get is empty
  std::map<std::string, std::set<std::string>> knobs;  ///< values of string knobs that it is limited to
  std::vector<Published> published;
  std::map<DeviceKind, std::string> absent;  ///< devices it cannot run on, each with the reason
  std::function<Cost(const ProblemKey&, const Tuning&)> cost;
  std::function<double(const ProblemKey&, const Tuning&)> additions;  ///< longest chain of additions

  bool destroys_input = false;
  bool answers_on_host = false;   ///< the answer is in Buffers::answer_on_host after the call
  bool synchronises = false;      ///< waits inside the call: must not be held back
  std::string known_wrong;        ///< why; such an entry is checked and never compared
  std::string not_deterministic;  ///< why the bits may differ from run to run
  int compute_capability = 0;     ///< at least; 90 for sm_90

  std::vector<Implementation> implementations;

  std::string full_name() const { return family + "/" + series + "/" + name; }
  bool runs_on(DeviceKind device) const;
  Tuning default_tuning() const;

  /// Why the tuning is impossible, or nothing. Unknown and missing tunables are for the caller to find.
  std::optional<std::string> refuses(const Tuning& tuning) const;

  /// Whether it is for problems of this type and these knobs, on whatever device.
  bool can_do(const Problem& problem) const;

  /// Why the entry cannot take the problem ("needs power-of-two n"), or nothing.
  std::optional<std::string> cannot_take(const ProblemKey& key, const Tuning& tuning) const;

  /// The implementation for the problem, or null.
  const Implementation* implementation_for(DeviceKind device, const Problem& problem) const;
};

}  // namespace tally
