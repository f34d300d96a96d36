#include "harness/sweep/config.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "harness/measure/random.h"
#include "harness/sweep/schema.h"

namespace tally {
namespace {

using Json = nlohmann::json;

/// One line of valid UTF-8, whatever stands in a config or its name.
std::string on_one_line(const std::string& text) {
  const std::string valid = Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string line;
  for (const char character : valid) {
    const auto code = static_cast<unsigned char>(character);
    if (code >= 0x20 && code != 0x7f) {
      line += character;
      continue;
    }
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, "\\u%04x", code);
    line += escaped;
  }
  return line;
}

/// Whole numbers may be written 1e6.
std::int64_t integer_of(const Json& value) {
  return value.is_number_float() ? static_cast<std::int64_t>(value.get<double>()) : value.get<std::int64_t>();
}

std::vector<std::int64_t> integers_of(const Json& list) {
  std::vector<std::int64_t> values;
  for (const Json& value : list) values.push_back(integer_of(value));
  return values;
}

std::vector<std::string> one_or_more(const Json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  return value.get<std::vector<std::string>>();
}

template <typename Value>
void read_integer(const Json& object, const char* key, Value& target) {
  if (object.contains(key)) target = static_cast<Value>(integer_of(object.at(key)));
}

void read_number(const Json& object, const char* key, double& target) {
  if (object.contains(key)) target = object.at(key).get<double>();
}

/// Reads a list of names into a list of what they name.
template <typename Value, typename Known>
void read_names(const Json& object, const char* key, std::vector<Value>& target, const Known& known) {
  if (!object.contains(key)) return;
  target.clear();
  for (const Json& name : object.at(key)) {
    for (const Value value : known) {
      if (name_of(value) == name.get<std::string>()) target.push_back(value);
    }
  }
}

/// A knob's value, of the kind that its default has.
struct KnobReader {
  const Json& json;
  KnobValue operator()(std::int64_t) const { return integer_of(json); }
  KnobValue operator()(double) const { return json.get<double>(); }
  KnobValue operator()(const std::string&) const { return json.get<std::string>(); }
  KnobValue operator()(const std::vector<std::int64_t>&) const { return integers_of(json); }
};

std::vector<KnobValue> read_knob(const KnobSpec& knob, const Json& run) {
  if (!run.contains(knob.name)) return {knob.default_value};
  const Json& given = run.at(knob.name);
  const bool takes_lists = std::holds_alternative<std::vector<std::int64_t>>(knob.default_value);
  const bool is_list_of_values = given.is_array() && (!takes_lists || given.front().is_array());
  std::vector<KnobValue> values;
  for (const Json& value : is_list_of_values ? given : Json::array({given})) {
    values.push_back(std::visit(KnobReader{value}, knob.default_value));
  }
  return values;
}

TuningGrid read_grid(const Json& json) {
  TuningGrid grid;
  for (const auto& [name, values] : json.items()) {
    grid[name] = values.is_array() ? integers_of(values) : std::vector<std::int64_t>{};
  }
  return grid;
}

class Reader {
 public:
  explicit Reader(Sweep& sweep) : sweep_(sweep) {}

  void read() {
    const Json& json = sweep_.json;
    sweep_.title = json.value("title", std::filesystem::path(sweep_.file).stem().string());
    sweep_.device = json.value("device", sweep_.device);
    read_integer(json, "seed", sweep_.measure.seed);
    read_integer(json, "seed", sweep_.check.seed);
    if (json.contains("measure")) read_measure(json.at("measure"));
    if (json.contains("check")) read_check(json.at("check"));
    if (json.contains("simt")) read_integer(json.at("simt"), "max_n", sweep_.simt_max_n);
    if (json.contains("host")) read_integer(json.at("host"), "max_n", sweep_.host_max_n);
    for (const Json& run : json.at("runs")) read_run(run);
  }

 private:
  void read_measure(const Json& json) {
    MeasureSettings& measure = sweep_.measure;
    read_names(json, "caches", measure.caches, all_cache_states);
    read_names(json, "clocks", measure.clocks, all_clocks);
    read_number(json, "half_width", measure.half_width);
    read_integer(json, "min_samples", measure.min_samples);
    read_integer(json, "max_samples", measure.max_samples);
    read_number(json, "max_seconds", measure.max_seconds);
    read_integer(json, "rounds", measure.rounds);
    read_integer(json, "processes", measure.processes);
    read_integer(json, "contexts", measure.contexts);
    read_integer(json, "seed", measure.seed);
    if (measure.min_samples > measure.max_samples) {
      throw sweep_.error_at(json.contains("min_samples") ? "/measure/min_samples" : "/measure/max_samples",
                            "min_samples = " + std::to_string(measure.min_samples) +
                                " is above max_samples = " + std::to_string(measure.max_samples));
    }
  }

  void read_check(const Json& json) {
    if (json.contains("sizes")) sweep_.check.sizes = integers_of(json.at("sizes"));
    read_names(json, "distributions", sweep_.check.distributions, all_distributions());
    read_integer(json, "launches", sweep_.check.launches);
    sweep_.check.under_load = json.value("under_load", sweep_.check.under_load);
    read_integer(json, "seed", sweep_.check.seed);
  }

  std::vector<std::int64_t> read_sizes(const Json& json, const std::string& pointer) const {
    if (json.is_array()) return integers_of(json);
    const std::int64_t from = integer_of(json.at("from"));
    const std::int64_t to = integer_of(json.at("to"));
    const std::int64_t factor = integer_of(json.at("factor"));
    if (from > to) {
      throw sweep_.error_at(pointer, "from = " + std::to_string(from) + " is above to = " +
                                         std::to_string(to) + ": the range holds no size");
    }
    std::vector<std::int64_t> sizes;
    for (std::int64_t n = from;; n *= factor) {
      sizes.push_back(n);
      if (n > to / factor) return sizes;
    }
  }

  void read_run(const Json& json) {
    Run run;
    run.pointer = "/runs/" + std::to_string(sweep_.runs.size());
    run.family = json.at("family").get<std::string>();
    const Family& family = families().at(run.family);
    for (const KnobSpec& knob : family.knobs) run.knobs[knob.name] = read_knob(knob, json);
    run.types = {family.types.front()};
    read_names(json, "types", run.types, all_scalar_types());
    run.sizes = read_sizes(json.at("sizes"), run.pointer + "/sizes");
    run.entries = json.value("entries", std::vector<std::string>{run.family + "/*"});
    if (json.contains("tunings")) {
      const Json& tunings = json.at("tunings");
      for (const Json& grid : tunings.is_array() ? tunings : Json::array({tunings}))
        run.tunings.push_back(read_grid(grid));
    }
    if (json.contains("baseline")) run.baselines = one_or_more(json.at("baseline"));
    sweep_.runs.push_back(std::move(run));
  }

  Sweep& sweep_;
};

std::string hexadecimal(std::uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

ConfigError::ConfigError(const std::string& message) : std::runtime_error(on_one_line(message)) {}

std::string Sweep::config_hash() const {
  Json asked = json;
  asked.erase("$schema");
  return hexadecimal(seed_for(0, asked.dump()));
}

ConfigError Sweep::error_at(const std::string& pointer, const std::string& problem) const {
  const auto line = line_of(positions, pointer);
  return ConfigError(file + (line ? ":" + std::to_string(*line) : "") + ": " +
                     (pointer.empty() ? "/" : pointer) + ": " + problem);
}

Sweep parse_config(const std::string& text, const std::string& file) {
  Sweep sweep;
  sweep.file = file;
  try {
    PositionedJson parsed = parse_with_positions(text);
    sweep.json = std::move(parsed.value);
    sweep.positions = std::move(parsed.lines);
  } catch (const JsonTextError& error) {
    throw ConfigError(file + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " +
                      error.what());
  }
  static const nlohmann::ordered_json schema = config_schema();
  if (const auto error = first_error(schema, sweep.json)) {
    throw sweep.error_at(error->pointer, error->message);
  }
  Reader(sweep).read();
  return sweep;
}

Sweep read_config(const std::string& file) {
  if (std::filesystem::is_directory(file))
    throw ConfigError("cannot read the config " + file + ": it is a folder");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || stream.bad())
    throw ConfigError("cannot read the config " + file + ": " + std::strerror(errno));
  return parse_config(text.str(), file);
}

}  // namespace tally
