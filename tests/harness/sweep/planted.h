#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/sweep/config.h"
#include "harness/sweep/plan.h"

namespace tally::planted {

/// An entry of family reduce that claims implementations and never runs.
inline Entry entry(const std::string& series, const std::string& name, Entry::Kind kind,
                   std::vector<ScalarType> types, const std::vector<DeviceKind>& devices) {
  Entry made;
  made.family = "reduce";
  made.series = series;
  made.name = name;
  made.kind = kind;
  made.file = "planted.h";
  static int line = 0;
  made.line = ++line;
  made.types = std::move(types);
  for (const DeviceKind device : devices) {
    for (const ScalarType type : made.types) {
      made.implementations.push_back({device, type, [](const Problem&) { return true; }, {}});
    }
  }
  return made;
}

/// ladder/first (power-of-two n only), ladder/second (threads, blocks; also half), ladder/gpu_only;
/// library/sum (sum only, cuda), library/host (host).
inline const Catalog& catalog() {
  static const Catalog made = [] {
    using enum ScalarType;
    using enum DeviceKind;
    Catalog all;
    Entry first = entry("ladder", "first", Entry::Kind::variant, {float32, int32}, {cuda, simt});
    first.tunables = {{"threads", {256, 128}, rules::power_of_two}};
    first.needs = {{"needs power-of-two n",
                    [](const ProblemKey& key, const Tuning&) { return (key.n & (key.n - 1)) == 0; }}};
    all.add(first);
    Entry second = entry("ladder", "second", Entry::Kind::variant, {float32, float16, int32}, {cuda, simt});
    second.predecessor = "reduce/ladder/first";
    second.tunables = {{"threads", {256, 192, 512}, rules::between(32, 512)},
                       {"blocks", {64, 600}, rules::positive}};
    second.tuning_needs = {{"needs blocks <= threads",
                            [](const ProblemKey&, const Tuning& t) { return t["blocks"] <= t["threads"]; }}};
    all.add(second);
    Entry gpu_only = entry("ladder", "gpu_only", Entry::Kind::variant, {float32}, {cuda});
    gpu_only.absent = {{simt, "thread-block clusters"}};
    gpu_only.compute_capability = 90;
    all.add(gpu_only);
    Entry wrong = entry("ladder", "as_published", Entry::Kind::variant, {float32}, {cuda, simt});
    wrong.known_wrong = "reads the wrong cell";
    all.add(wrong);
    Entry sum = entry("library", "sum", Entry::Kind::baseline, {float32, int32}, {cuda});
    sum.knobs = {{"op", {"sum"}}};
    all.add(sum);
    all.add(entry("library", "host", Entry::Kind::baseline, {float32, int32}, {host}));
    Entry foreign = entry("library", "product", Entry::Kind::baseline, {float32}, {cuda, simt, host});
    foreign.family = "dot";
    all.add(foreign);
    return all;
  }();
  return made;
}

/// A config with one run: `run` is what stands beside "family" in it.
inline Sweep sweep(const std::string& run, const std::string& rest = "") {
  return parse_config(
      "{" + rest + (rest.empty() ? "" : ", ") + "\"runs\": [{\"family\": \"reduce\", " + run + "}]}",
      "planted.json");
}

inline Plan plan(const std::string& run, DeviceKind device = DeviceKind::cuda, const DeviceFacts& facts = {},
                 const std::string& rest = "") {
  return make_plan(sweep(run, rest), device, facts, catalog());
}

inline std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> all;
  for (const Group& group : plan.groups) {
    for (const Cell& cell : group.cells) all.push_back(cell.name());
  }
  return all;
}

/// The message of the ConfigError that `call` throws; fails where it throws none.
template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no ConfigError was thrown";
}

}  // namespace tally::planted
