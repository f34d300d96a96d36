#include "harness/catalog/describe.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <vector>

namespace tally {
namespace {

constexpr std::size_t text_width = 100;
constexpr DeviceKind all_devices[] = {DeviceKind::cuda, DeviceKind::simt, DeviceKind::host};

/// "label       text", wrapped, the label on the first line only.
std::string labelled(const std::string& label, const std::string& text) {
  constexpr std::size_t column = 12;
  std::string lines = wrapped_text(text, std::string(column, ' '));
  return lines.replace(0, std::min(label.size(), column - 1), label, 0, column - 1);
}

template <typename Items, typename Text>
std::string joined(const Items& items, const Text& text_of, const char* between = ", ") {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : between) + std::string(text_of(item));
  return text;
}

std::string itself(const std::string& text) { return text; }
std::string type_text(ScalarType type) { return std::string(name_of(type)); }
std::string device_text(DeviceKind device) { return std::string(name_of(device)); }

/// 1234567 as 1,234,567.
std::string grouped(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.0f", value);
  std::string digits = text;
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

std::string counted(std::int64_t count, const char* noun) {
  return grouped(static_cast<double>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string devices_of(const Entry& entry) {
  std::vector<DeviceKind> there;
  for (const DeviceKind device : all_devices) {
    if (entry.runs_on(device)) there.push_back(device);
  }
  std::string text = there.empty() ? "none in this build" : joined(there, device_text);
  for (const auto& [device, reason] : entry.absent) {
    if (!entry.runs_on(device)) text += "; not " + device_text(device) + ": " + reason;
  }
  return text;
}

/// The problem that the entry is described on: that of its first published figure, else 2^24 of its first
/// type.
ProblemKey example_of(const Entry& entry) {
  const Family& family = families().at(entry.family);
  ProblemKey key{entry.family, entry.types.front(), 1 << 24, {}, 1, Distribution::uniform};
  if (!entry.published.empty()) {
    key.type = entry.published.front().type;
    key.n = entry.published.front().n;
  }
  for (const KnobSpec& knob : family.knobs) {
    const auto limit = entry.knobs.find(knob.name);
    const bool takes_default =
        limit == entry.knobs.end() || limit->second.contains(to_string(knob.default_value));
    key.knobs[knob.name] = takes_default ? knob.default_value : KnobValue(*limit->second.begin());
  }
  return key;
}

/// The values of a knob of choices that the entry can do.
std::string values_of(const Entry& entry, const KnobSpec& knob) {
  std::vector<std::string> values;
  for (const std::string& choice : knob.choices) {
    ProblemKey key = example_of(entry);
    key.n = 64;  // a choice may be impossible for large problems alone
    key.knobs[knob.name] = choice;
    try {
      if (entry.can_do(*make_problem(key))) values.push_back(choice);
    } catch (const ProblemError&) {
      continue;  // not with the other knobs' defaults
    }
  }
  return joined(values, itself);
}

std::string tunable_text(const Tunable& tunable) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  return tunable.name + " = " + joined(tunable.values, number) + " (the first is the default); takes " +
         tunable.rule.text;
}

std::string cost_text(const Entry& entry) {
  const ProblemKey key = example_of(entry);
  const Tuning tuning = entry.default_tuning();
  std::string text = "at n = " + grouped(static_cast<double>(key.n)) + ", " + type_text(key.type);
  if (!tuning.values().empty()) text += ", " + tuning.text();
  text += ": ";
  if (entry.cost) {
    const Cost cost = entry.cost(key, tuning);
    text += "reads " + grouped(cost.bytes_read) + " bytes, writes " + grouped(cost.bytes_written) + ", in " +
            grouped(static_cast<double>(cost.launches)) + (cost.launches == 1 ? " launch" : " launches");
    text += "; " + counted(cost.partials, "partial result") + ", " +
            counted(cost.host_additions, "addition") + " on the host; ";
  }
  try {
    return text + "the problem must move " + grouped(make_problem(key)->bytes()) + " bytes";
  } catch (const ProblemError& error) {
    return text + error.what();
  }
}

std::string flags_of(const Entry& entry) {
  std::vector<std::string> flags;
  if (entry.destroys_input) flags.emplace_back("writes over its input, which is restored untimed");
  if (entry.answers_on_host) flags.emplace_back("the answer ends in host memory");
  if (entry.synchronises) flags.emplace_back("waits for the device inside the call");
  if (!entry.not_deterministic.empty()) flags.push_back("not deterministic: " + entry.not_deterministic);
  if (!entry.known_wrong.empty())
    flags.push_back("known wrong, checked and never compared: " + entry.known_wrong);
  if (entry.compute_capability > 0) {
    flags.push_back("needs compute capability " + std::to_string(entry.compute_capability / 10) + "." +
                    std::to_string(entry.compute_capability % 10));
  }
  return joined(flags, itself, "; ");
}

std::string headline(const Entry& entry) {
  std::string text = entry.full_name();
  if (entry.kind == Entry::Kind::baseline) return text + ", a baseline\n";
  const auto series = Catalog::instance().series(entry.family, entry.series);
  const auto place = std::find(series.begin(), series.end(), &entry) - series.begin();
  return text + ", stage " + std::to_string(place + 1) + " of " + std::to_string(series.size()) +
         " of its series\n";
}

}  // namespace

std::string wrapped_text(const std::string& text, const std::string& margin) {
  std::istringstream words(text);
  std::string result;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && margin.size() + line.size() + 1 + word.size() > text_width) {
      result += margin + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + margin + line + "\n";
}

std::string list_of_entries(const Catalog& catalog) {
  std::ostringstream out;
  std::string family;
  std::string series;
  for (const Entry* entry : catalog.entries()) {
    if (entry->family != family) {
      out << (family.empty() ? "" : "\n") << entry->family << ": " << families().at(entry->family).description
          << "\n";
      family = entry->family;
      series.clear();
    }
    if (entry->series != series) out << "  " << (series = entry->series) << "\n";
    std::vector<DeviceKind> devices;
    for (const DeviceKind device : all_devices) {
      if (entry->runs_on(device)) devices.push_back(device);
    }
    char line[256];
    std::snprintf(line, sizeof line, "    %-44s %-9s %-16s", entry->full_name().c_str(),
                  entry->kind == Entry::Kind::variant ? "variant" : "baseline",
                  devices.empty() ? "not in this build" : joined(devices, device_text, ",").c_str());
    out << line << " " << joined(entry->types, type_text, ",")
        << (entry->known_wrong.empty() ? "" : " (known wrong)") << "\n";
  }
  return out.str();
}

std::string description_of(const Entry& entry) {
  std::string text = headline(entry) + "\n" + wrapped_text(entry.lesson, "  ") + "\n";
  const auto line = [&text](const std::string& label, const std::string& content) {
    if (!content.empty()) text += labelled(label, content);
  };
  line("source", entry.source);
  line("written in", entry.file + ":" + std::to_string(entry.line));
  line("follows", entry.predecessor);
  line("types", joined(entry.types, type_text));
  for (const KnobSpec& knob : families().at(entry.family).knobs) {
    if (!knob.choices.empty()) line(knob.name, values_of(entry, knob));
  }
  line("devices", devices_of(entry));
  const char* label = "tunables";
  for (const Tunable& tunable : entry.tunables) {
    line(label, tunable_text(tunable));
    label = "";
  }
  std::vector<std::string> limits;
  for (const Need& need : entry.tuning_needs) limits.push_back(need.reason);
  for (const Need& need : entry.needs) limits.push_back(need.reason);
  line("limits", joined(limits, itself, "; "));
  line("notes", flags_of(entry));
  line("one call", cost_text(entry));
  label = "published";
  for (const Published& figure : entry.published) {
    char value[32];
    std::snprintf(value, sizeof value, "%g ", figure.value);
    line(label, figure.machine + ", n = " + grouped(static_cast<double>(figure.n)) + ", " +
                    type_text(figure.type) + ": " + value + figure.unit);
    label = "";
  }
  return text;
}

}  // namespace tally
