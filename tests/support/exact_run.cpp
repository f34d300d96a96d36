#include "tests/support/exact_run.h"

#include <algorithm>

#include "harness/measure/arrays.h"
#include "tests/support/seed.h"

namespace tally::testing {
namespace {

/// All combinations of the string knobs' values that the entry takes; other knobs keep their defaults.
std::vector<Knobs> knobs_of(const Entry& entry) {
  std::vector<Knobs> all{{}};
  for (const KnobSpec& knob : families().at(entry.family).knobs) {
    std::vector<KnobValue> values{knob.default_value};
    if (!knob.choices.empty()) {
      values.clear();
      const auto limits = entry.knobs.find(knob.name);
      for (const std::string& choice : knob.choices) {
        if (limits == entry.knobs.end() || limits->second.contains(choice)) values.emplace_back(choice);
      }
    }
    std::vector<Knobs> longer;
    for (const Knobs& knobs : all) {
      for (const KnobValue& value : values) {
        longer.push_back(knobs);
        longer.back()[knob.name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace

std::vector<Tuning> tunings_of(const Entry& entry) {
  std::vector<Tuning> tunings{entry.default_tuning()};
  for (const Tunable& tunable : entry.tunables) {
    for (const std::int64_t value : tunable.values) {
      std::map<std::string, std::int64_t> values = entry.default_tuning().values();
      values[tunable.name] = value;
      const Tuning tuning(values);
      if (std::find(tunings.begin(), tunings.end(), tuning) == tunings.end()) tunings.push_back(tuning);
    }
  }
  return tunings;
}

std::vector<ProblemKey> problems_of(const Entry& entry, ScalarType type,
                                    const std::vector<std::int64_t>& sizes) {
  std::vector<ProblemKey> problems;
  const auto distributions = all_distributions();
  std::size_t turn = 0;
  for (const Knobs& knobs : knobs_of(entry)) {
    for (const std::int64_t n : sizes) {
      ProblemKey key{entry.family, type, n, knobs, printed_seed() + turn, Distribution::exact};
      problems.push_back(key);
      key.distribution = distributions[turn++ % (distributions.size() - 1)];  // the last is `exact`
      problems.push_back(key);
    }
  }
  return problems;
}

std::optional<CheckResult> run_exactly(Device& device, const Entry& entry, const ProblemKey& key,
                                       const Tuning& tuning) {
  if (entry.refuses(tuning) || entry.cannot_take(key, tuning)) return std::nullopt;
  std::unique_ptr<Problem> problem;
  try {
    problem = make_problem(key);
  } catch (const ProblemError&) {
    return std::nullopt;  // the family has no such problem; its own tests say which those are
  }
  const Implementation* implementation = entry.implementation_for(device.facts().kind, *problem);
  if (implementation == nullptr) return std::nullopt;

  ProblemArrays arrays(device, *problem, entry.answers_on_host);
  arrays.fill_inputs(*problem);
  arrays.poison_outputs();
  GuardedScratch scratch(device, entry.full_name());
  const Prepared prepared = implementation->prepare(*problem, arrays.buffers(), tuning, scratch);
  device.run([&](DeviceQueue& queue) { prepared.call(queue); });

  std::optional<double> additions;
  if (entry.additions) additions = entry.additions(key, tuning);
  CheckResult result = problem->check(arrays.outputs(entry.answers_on_host), additions);
  for (const std::optional<std::string>& damage : {arrays.damage(), scratch.damage()}) {
    if (!damage) continue;
    result.right = false;
    result.where += " " + *damage;
  }
  return result;
}

}  // namespace tally::testing
