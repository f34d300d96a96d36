#include "harness/sweep/plan.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "harness/sweep/selection.h"
#include "harness/sweep/tunings.h"

namespace tally {
namespace {

// More is a slip of the pen, and would take weeks.
constexpr std::size_t most_cells = 1000000;

std::string in_gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, bytes < 1e8 ? "%.3g MB" : "%.4g GB",
                bytes < 1e8 ? bytes / 1e6 : bytes / 1e9);
  return text;
}

std::string device_text(DeviceKind kind) { return std::string(name_of(kind)); }

/// Where the entry runs when `device` was asked for. The executor runs kernels; libraries stand beside them
/// on the host.
DeviceKind device_for(const Entry& entry, DeviceKind device) {
  const bool is_library = entry.kind == Entry::Kind::baseline && !entry.runs_on(DeviceKind::simt);
  return device == DeviceKind::simt && is_library ? DeviceKind::host : device;
}

/// Why the entry cannot run there at all, or nothing.
std::optional<std::string> why_absent(const Entry& entry, DeviceKind device, const DeviceFacts& facts) {
  if (!entry.runs_on(device)) {
    if (const auto reason = entry.absent.find(device); reason != entry.absent.end()) return reason->second;
    std::string elsewhere;
    for (const DeviceKind other : {DeviceKind::cuda, DeviceKind::simt, DeviceKind::host}) {
      if (entry.runs_on(other)) elsewhere += (elsewhere.empty() ? "" : " and ") + device_text(other);
    }
    if (elsewhere.empty()) return "needs CUDA, without which this harness was built";
    return "runs on " + elsewhere + ", not on " + device_text(device);
  }
  if (device == DeviceKind::cuda && facts.compute_capability > 0 &&
      facts.compute_capability < entry.compute_capability) {
    const auto dotted = [](int capability) {
      return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
    };
    return "needs compute capability " + dotted(entry.compute_capability) + ", and this GPU has " +
           dotted(facts.compute_capability);
  }
  return std::nullopt;
}

class Planner {
 public:
  Planner(const Sweep& sweep, DeviceKind device, const DeviceFacts& facts, const Catalog& catalog)
      : sweep_(sweep), device_(device), facts_(facts), catalog_(catalog) {}

  Plan plan() {
    for (const Run& run : sweep_.runs) add_run(run);
    refuse_empty();
    return std::move(plan_);
  }

 private:
  struct Chosen {
    Selected selected;
    std::vector<AskedTuning> tunings;
    DeviceKind device;
    std::optional<std::string> absent;
  };

  void add_run(const Run& run) {
    const std::vector<Selected> entries = select_entries(sweep_, run, catalog_);
    refuse_unknown_tunables(sweep_, run, entries);
    std::vector<Chosen> chosen;
    for (const Selected& selected : entries) {
      const DeviceKind device = device_for(*selected.entry, device_);
      chosen.push_back(
          {selected, tunings_of(sweep_, run, selected), device, why_absent(*selected.entry, device, facts_)});
    }
    for (const Knobs& knobs : knob_combinations(run)) {
      for (const ScalarType type : run.types) {
        for (std::size_t i = 0; i < run.sizes.size(); ++i) {
          const std::shared_ptr<const Problem> problem = make(run, knobs, type, i);
          for (const Chosen& one : chosen) add_entry(*problem, one);
          if (max_n() >= problem->key().n) refuse_too_large(*problem, run, i);
        }
      }
    }
  }

  std::shared_ptr<const Problem> make(const Run& run, const Knobs& knobs, ScalarType type,
                                      std::size_t size_index) const {
    ProblemKey key{run.family, type, run.sizes[size_index], knobs, sweep_.check.seed, Distribution::uniform};
    try {
      return make_problem(key);
    } catch (const ProblemError& error) {
      const bool is_size = error.knob() == "n";
      throw sweep_.error_at(is_size ? pointer_of_size(run, size_index) : run.pointer + "/" + error.knob(),
                            error.what());
    }
  }

  std::string pointer_of_size(const Run& run, std::size_t index) const {
    const bool is_list = sweep_.json.at(nlohmann::json::json_pointer(run.pointer)).at("sizes").is_array();
    return run.pointer + "/sizes" + (is_list ? "/" + std::to_string(index) : "");
  }

  std::int64_t max_n() const {
    if (device_ == DeviceKind::simt) return sweep_.simt_max_n;
    return device_ == DeviceKind::host ? sweep_.host_max_n : INT64_MAX;
  }

  void refuse_too_large(const Problem& problem, const Run& run, std::size_t size_index) const {
    if (facts_.memory_bytes <= 0 || !groups_.contains(problem.key().id())) return;
    double bytes = 0;
    for (const BufferSpec& buffer : problem.buffers()) bytes += static_cast<double>(buffer.bytes());
    if (bytes <= static_cast<double>(facts_.memory_bytes)) return;
    throw sweep_.error_at(pointer_of_size(run, size_index),
                          "n = " + std::to_string(problem.key().n) + " of " +
                              std::string(name_of(problem.key().type)) + " needs " + in_gigabytes(bytes) +
                              ", and " + (facts_.name.empty() ? "the device" : facts_.name) + " has " +
                              in_gigabytes(static_cast<double>(facts_.memory_bytes)));
  }

  void leave_out(LeftOut::Why why, const ProblemKey& key, const std::string& what, const std::string& reason,
                 std::size_t cells) {
    // Runs that overlap leave the same out twice.
    if (!left_names_.insert(what + " " + key.id()).second) return;
    plan_.left_out.push_back({why, key, what, reason, cells});
  }

  void add_entry(const Problem& problem, const Chosen& chosen) {
    const Entry& entry = *chosen.selected.entry;
    const ProblemKey& key = problem.key();
    if (!entry.can_do(problem)) return;
    std::vector<CacheState> caches = sweep_.measure.caches;
    std::vector<Clock> clocks = sweep_.measure.clocks;
    if (chosen.device != DeviceKind::cuda) {
      std::erase(caches, CacheState::dirty);
      std::erase(clocks, Clock::graph);
    }
    // The executor's counts know no cache and no clock, and what is known to be wrong is only checked.
    if (device_ == DeviceKind::simt || !entry.known_wrong.empty()) {
      caches.resize(std::min<std::size_t>(caches.size(), 1));
      clocks.resize(std::min<std::size_t>(clocks.size(), 1));
    }
    const std::size_t cells_of_tuning = caches.size() * clocks.size();
    const std::size_t cells = chosen.tunings.size() * cells_of_tuning;
    if (chosen.absent) return leave_out(LeftOut::Why::entry, key, entry.full_name(), *chosen.absent, cells);
    if (entry.implementation_for(chosen.device, problem) == nullptr) {
      return leave_out(LeftOut::Why::entry, key, entry.full_name(),
                       "has no " + std::string(name_of(key.type)) + " on " + device_text(chosen.device),
                       cells);
    }
    if (key.n > max_n()) {
      return leave_out(LeftOut::Why::size, key, entry.full_name(),
                       "beyond " + device_text(device_) + ".max_n = " + std::to_string(max_n()), cells);
    }
    for (const AskedTuning& tuning : chosen.tunings) {
      for (const CacheState cache : caches) {
        for (const Clock clock : clocks)
          add_cell({&entry, key, tuning.tuning, cache, clock, chosen.device}, tuning.refused);
      }
    }
    if (chosen.selected.is_baseline) add_baseline(key, entry.full_name());
  }

  void add_cell(Cell cell, std::string refused) {
    if (!names_.insert(cell.name()).second) return;
    if (names_.size() > most_cells) {
      throw sweep_.error_at("/runs", "the plan has more than " + std::to_string(most_cells) + " cells");
    }
    if (refused.empty()) refused = cell.entry->cannot_take(cell.problem, cell.tuning).value_or("");
    if (refused.empty() && cell.clock == Clock::graph && cell.entry->synchronises)
      refused = "waits for the device inside its call, which cannot be recorded as a graph";
    if (!refused.empty()) {
      plan_.skipped.push_back({std::move(cell), std::move(refused)});
      return;
    }
    group_of(cell.problem).cells.push_back(std::move(cell));
  }

  Group& group_of(const ProblemKey& key) {
    const auto [place, is_new] = groups_.emplace(key.id(), plan_.groups.size());
    if (is_new) plan_.groups.push_back({key, {}, {}});
    return plan_.groups[place->second];
  }

  void add_baseline(const ProblemKey& key, const std::string& name) {
    const auto known = groups_.find(key.id());
    if (known == groups_.end()) return;
    std::vector<std::string>& baselines = plan_.groups[known->second].baselines;
    if (std::find(baselines.begin(), baselines.end(), name) == baselines.end()) baselines.push_back(name);
  }

  void refuse_empty() const {
    if (plan_.cells() > 0) return;
    std::string why = "no entry can do what the runs ask for";
    if (!plan_.left_out.empty()) {
      const LeftOut& first = plan_.left_out.front();
      why = "on " + device_text(device_) + " every cell is left out, e.g. " + first.what +
            " at n = " + std::to_string(first.problem.n) + ": " + first.reason;
    }
    if (!plan_.skipped.empty()) {
      why = "every cell is refused, e.g. " + plan_.skipped.front().cell.name() + ": " +
            plan_.skipped.front().reason;
    }
    throw sweep_.error_at("/runs", "the plan is empty: " + why);
  }

  const Sweep& sweep_;
  const DeviceKind device_;
  const DeviceFacts& facts_;
  const Catalog& catalog_;
  Plan plan_;
  std::map<std::string, std::size_t> groups_;  // by problem id, places in plan_.groups
  std::set<std::string> names_;
  std::set<std::string> left_names_;
};

}  // namespace

std::size_t Plan::cells() const {
  std::size_t count = 0;
  for (const Group& group : groups) count += group.cells.size();
  return count;
}

std::size_t Plan::cells_too_large() const {
  std::size_t count = 0;
  for (const LeftOut& left : left_out) count += left.why == LeftOut::Why::size ? left.cells : 0;
  return count;
}

Plan make_plan(const Sweep& sweep, DeviceKind device, const DeviceFacts& facts, const Catalog& catalog) {
  return Planner(sweep, device, facts, catalog).plan();
}

}  // namespace tally
