#include "harness/sweep/one_call.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/sweep/config.h"

namespace tally {

const Entry& entry_named(const std::string& option, const std::string& name) {
  if (const Entry* entry = Catalog::instance().find(name)) return *entry;
  const std::string nearest = Catalog::instance().nearest(name);
  throw ConfigError(
      option + " " + name + ": there is no such entry" +
      (nearest.empty() ? "; `harness --list` shows what there is" : "; did you mean \"" + nearest + "\"?"));
}

namespace {

/// The value that `text` is, of the kind that the knob's default has; the knob's own limits are kept.
KnobValue knob_value(const KnobSpec& knob, const std::string& text, const std::string& option) {
  const auto refuse = [&](const std::string& what) -> ConfigError {
    return ConfigError(option + ": " + knob.name + " takes " + what);
  };
  if (std::holds_alternative<std::string>(knob.default_value)) {
    if (knob.choices.empty() || std::ranges::find(knob.choices, text) != knob.choices.end()) return text;
    std::string choices;
    for (const std::string& choice : knob.choices) choices += (choices.empty() ? "" : ", ") + choice;
    throw refuse(choices);
  }
  const nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (std::holds_alternative<std::vector<std::int64_t>>(knob.default_value)) {
    if (!value.is_array() ||
        !std::ranges::all_of(value, [](const auto& one) { return one.is_number_integer(); }))
      throw refuse("a list of integers, such as " + to_string(knob.default_value));
    return value.get<std::vector<std::int64_t>>();
  }
  const bool is_integer = std::holds_alternative<std::int64_t>(knob.default_value);
  if (is_integer ? !value.is_number_integer() : !value.is_number())
    throw refuse(is_integer ? "an integer" : "a number");
  const auto number = value.get<double>();
  if (number < knob.minimum) throw refuse("no less than " + nlohmann::json(knob.minimum).dump());
  if (number > knob.maximum) throw refuse("no more than " + nlohmann::json(knob.maximum).dump());
  return is_integer ? KnobValue(value.get<std::int64_t>()) : KnobValue(number);
}

void set_knobs(ProblemKey& key, const std::vector<std::string>& asked) {
  const std::vector<KnobSpec>& knobs = families().at(key.family).knobs;
  for (const std::string& text : asked) {
    const std::string option = "--knob " + text;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) throw ConfigError(option + ": it must be NAME=VALUE, such as taps=256");
    const std::string name = text.substr(0, equals);
    const auto knob = std::ranges::find(knobs, name, &KnobSpec::name);
    if (knob == knobs.end()) {
      std::string known;
      for (const KnobSpec& one : knobs) known += (known.empty() ? "" : ", ") + one.name;
      throw ConfigError(option + ": " + key.family + " has no knob " + name +
                        (known.empty() ? "; it has none" : "; it has " + known));
    }
    key.knobs[name] = knob_value(*knob, text.substr(equals + 1), option);
  }
}

}  // namespace

ProblemKey problem_of(const Entry& entry, const AskedProblem& asked) {
  const std::optional<ScalarType> type = scalar_type_named(asked.type);
  if (!type) throw ConfigError("--type " + asked.type + ": there is no such type; float32 is one");
  ProblemKey key{entry.family, *type, asked.n, {}, 1, Distribution::uniform};
  for (const KnobSpec& knob : families().at(entry.family).knobs) {
    const auto limit = entry.knobs.find(knob.name);
    const auto* text = std::get_if<std::string>(&knob.default_value);
    const bool usual = text == nullptr || limit == entry.knobs.end() || limit->second.contains(*text);
    key.knobs[knob.name] = usual ? knob.default_value : KnobValue(*limit->second.begin());
  }
  set_knobs(key, asked.knobs);
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
    const ProblemKey key = problem_of(*entry, options.problem);
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
