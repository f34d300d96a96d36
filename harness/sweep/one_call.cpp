#include "harness/sweep/one_call.h"

#include "harness/sweep/config.h"

namespace tally {

const Entry& entry_named(const std::string& option, const std::string& name) {
  if (const Entry* entry = Catalog::instance().find(name)) return *entry;
  const std::string nearest = Catalog::instance().nearest(name);
  throw ConfigError(
      option + " " + name + ": there is no such entry" +
      (nearest.empty() ? "; `harness --list` shows what there is" : "; did you mean \"" + nearest + "\"?"));
}

ProblemKey problem_of(const Entry& entry, std::int64_t n, const std::string& type_name) {
  const std::optional<ScalarType> type = scalar_type_named(type_name);
  if (!type) throw ConfigError("--type " + type_name + ": there is no such type; float32 is one");
  ProblemKey key{entry.family, *type, n, {}, 1, Distribution::uniform};
  for (const KnobSpec& knob : families().at(entry.family).knobs) {
    const auto limit = entry.knobs.find(knob.name);
    const auto* text = std::get_if<std::string>(&knob.default_value);
    const bool usual = text == nullptr || limit == entry.knobs.end() || limit->second.contains(*text);
    key.knobs[knob.name] = usual ? knob.default_value : KnobValue(*limit->second.begin());
  }
  return key;
}

std::optional<std::string> cannot_be_called(const Entry& entry, const ProblemKey& key, DeviceKind device) {
  if (!entry.runs_on(device)) {
    const auto reason = entry.absent.find(device);
    return "it does not run on " + std::string(name_of(device)) +
           (reason == entry.absent.end() ? "" : ": " + reason->second);
  }
  if (const auto reason = entry.cannot_take(key, entry.default_tuning())) {
    return "it " + *reason + ", and this is n = " + std::to_string(key.n);
  }
  try {
    if (entry.implementation_for(device, *make_problem(key)) != nullptr) return std::nullopt;
  } catch (const ProblemError& error) {
    return error.what();
  }
  return "it does not take " + key.id();
}

OneCall::OneCall(Device& device, const Entry& entry, const ProblemKey& key, const Tuning& tuning)
    : problem(make_problem(key)),
      arrays(device, *problem, entry.answers_on_host),
      prepared(entry, tuning, *problem, arrays) {
  arrays.fill_inputs(*problem);
  arrays.poison_outputs();
}

namespace {

CheckedCall one_call(Device& device, const Entry& entry, const ProblemKey& key) {
  OneCall call(device, entry, key, entry.default_tuning());
  device.sample(call.prepared.work(Clock::device), {},
                {.cache = CacheState::warm, .hold = false, .label = "tally"});
  return call.prepared.check();
}

}  // namespace

bool call_once(const CallOptions& options, std::ostream& out) {
  std::vector<const Entry*> entries = Catalog::instance().matching(options.entries);
  const bool one_by_name = entries.size() == 1 && entries.front()->full_name() == options.entries;
  if (entries.empty()) entry_named("--call", options.entries);  // throws, with the nearest name
  if (!one_by_name) {
    std::erase_if(entries, [](const Entry* entry) {
      return entry->kind != Entry::Kind::variant || !entry->known_wrong.empty();
    });
    if (entries.empty())
      throw ConfigError(
          "--call " + options.entries +
          ": it matches baselines and known wrong variants only, which are called by full name");
  }
  const std::unique_ptr<Device> device = open_device(options.device, options.device_index);
  bool all_right = true;
  for (const Entry* entry : entries) {
    const ProblemKey key = problem_of(*entry, options.n, options.type);
    out << entry->full_name() << " " << key.id() << ": " << std::flush;
    if (const auto reason = cannot_be_called(*entry, key, options.device)) {
      out << "not called: " << *reason << "\n";
      continue;
    }
    try {
      const CheckedCall checked = one_call(*device, *entry, key);
      all_right = all_right && checked.right;
      out << (checked.right ? "right" : "WRONG: " + checked.reason) << "\n";
    } catch (const DeviceError& error) {
      // The device may be lost to this process: what comes after would say nothing.
      out << "FAILED: " << error.what() << "\n";
      return false;
    }
  }
  return all_right;
}

}  // namespace tally
