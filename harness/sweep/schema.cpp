#include "harness/sweep/schema.h"

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/device/device.h"
#include "harness/measure/cell.h"
#include "harness/problems/problem.h"
#include "harness/sweep/config.h"

namespace tally {
namespace {

using Schema = nlohmann::ordered_json;

// Whole numbers that every JSON reader holds exactly.
constexpr std::int64_t largest_integer = (std::int64_t{1} << 53) - 1;
// So many bytes of any element type still fit into 63 bits, with room for several arrays.

Schema described(Schema schema, const std::string& description) {
  Schema result = {{"description", description}};
  result.update(schema);
  return result;
}

Schema with_default(Schema schema, Schema value) {
  schema["default"] = std::move(value);
  return schema;
}

Schema integer(std::int64_t minimum, std::int64_t maximum) {
  return {{"type", "integer"}, {"minimum", minimum}, {"maximum", maximum}};
}

Schema number_above_0(double maximum) {
  return {{"type", "number"}, {"exclusiveMinimum", 0}, {"maximum", maximum}};
}

Schema text() { return {{"type", "string"}, {"minLength", 1}}; }

template <typename Names>
Schema one_of(const Names& names) {
  Schema choices = Schema::array();
  for (const auto& name : names) choices.push_back(std::string(name));
  return {{"enum", std::move(choices)}};
}

Schema list_of(Schema items, int at_least = 1) {
  Schema list = {{"type", "array"}, {"items", std::move(items)}};
  if (at_least > 0) list["minItems"] = at_least;
  return list;
}

Schema any_of(Schema first, Schema second) {
  return {{"anyOf", Schema::array({std::move(first), std::move(second)})}};
}

Schema one_or_list(const Schema& item) { return any_of(item, list_of(item)); }

Schema object(Schema properties, std::initializer_list<const char*> required = {}) {
  Schema result = {{"type", "object"}};
  if (required.size() > 0) result["required"] = required;
  result["properties"] = std::move(properties);
  result["additionalProperties"] = false;
  return result;
}

template <typename Values>
Schema names_of(const Values& values) {
  Schema names = Schema::array();
  for (const auto value : values) names.push_back(std::string(name_of(value)));
  return names;
}

Schema one_size() { return integer(1, most_elements); }
Schema seed() { return integer(0, largest_integer); }

Schema sizes_schema() {
  Schema range =
      object({{"from", described(one_size(), "The first size.")},
              {"to", described(one_size(), "No size is above it.")},
              {"factor", described(integer(2, most_elements), "Each size is so many times the one before.")}},
             {"from", "to", "factor"});
  return any_of(list_of(one_size()), std::move(range));
}

Schema measure_schema() {
  const MeasureSettings defaults;
  std::vector<std::string_view> cache_names;
  for (const CacheState cache : all_cache_states) cache_names.push_back(name_of(cache));
  const Schema caches = one_of(cache_names);
  std::vector<std::string_view> clock_names;
  for (const Clock clock : all_clocks) clock_names.push_back(name_of(clock));
  const Schema clocks = one_of(clock_names);
  Schema keys;
  const auto key = [&keys](const char* name, Schema schema, Schema default_value, const char* description) {
    keys[name] = described(with_default(std::move(schema), std::move(default_value)), description);
  };
  key("caches", list_of(caches), names_of(defaults.caches),
      "State of the caches before a call: cold (flushed), warm (as the last call left them) or, on GPUs, dirty (flushed by writing, so that the call pays for lines that are written back). Each makes cells of its own.");
  key("clocks", list_of(clocks), names_of(defaults.clocks),
      "What is timed: device (the GPU's work only), end_to_end (from the call to the answer in host memory) or, on GPUs, graph (as device, of the call replayed as a CUDA graph; entries that wait for the device inside their call cannot be). Each makes cells of its own.");
  key("half_width", number_above_0(0.5), defaults.half_width,
      "Sampling stops when the 95% confidence interval of the median is within this fraction of the median, on either side.");
  key("min_samples", integer(1, 1000000), defaults.min_samples,
      "Samples that every cell gets, unless max_seconds are over before.");
  key("max_samples", integer(1, 1000000), defaults.max_samples, "Samples after which sampling stops.");
  key("max_seconds", number_above_0(86400), defaults.max_seconds,
      "Seconds of sampling a cell after which sampling stops.");
  key("rounds", integer(1, 10000), defaults.rounds,
      "Entries of a problem take turns at least so many times, in random order.");
  key("processes", integer(1, 1000), defaults.processes,
      "Fresh processes that measure each group; each is a repetition in the results.");
  key("contexts", integer(1, 100), defaults.contexts,
      "Up to so many CUDA contexts each process opens, 0.2 s each, to find one in which kernels follow one another, and answers "
      "reach the host, as quickly as in the best of the run: in some of them that takes 8 % longer. The first process "
      "opens half of them to find out. For runs that are to agree.");
  key("seed", seed(), defaults.seed,
      "Seed of the rounds' order and of the bootstraps. Default: the config's seed.");
  return object(std::move(keys));
}

Schema check_schema() {
  const CheckSettings defaults;
  Schema keys;
  keys["sizes"] =
      described(with_default(list_of(one_size(), 0), defaults.sizes),
                "Sizes at which every entry is checked before anything is timed, besides the measured ones.");
  keys["distributions"] = described(
      with_default(list_of(one_of(names_of(all_distributions()))), names_of(defaults.distributions)),
      "How the values of the checked inputs are drawn.");
  keys["launches"] = described(
      with_default(integer(1, 1000000), defaults.launches),
      "Calls on the measured problem among which distinct answers are counted; fewer where they take longer than a fifth of a second.");
  keys["under_load"] = described(
      with_default({{"type", "boolean"}}, defaults.under_load),
      "Makes those calls while other streams keep the GPU busy, all of them where they take no more than a minute, and holds every new answer against the exact one. Devices simt and host have no such load: their results say under_load: false.");
  keys["seed"] =
      described(with_default(seed(), defaults.seed), "Seed of the inputs. Default: the config's seed.");
  return object(std::move(keys));
}

/// The schema of one value of a knob. The kind of its default says which kind it is.
struct KnobSchema {
  const KnobSpec& spec;

  Schema limited(const char* type, double smallest, double largest) const {
    Schema schema = {{"type", type}};
    const auto bound = [&schema](const char* keyword, double value) {
      const bool whole = value == static_cast<double>(static_cast<std::int64_t>(value));
      if (whole) {
        schema[keyword] = static_cast<std::int64_t>(value);
      } else {
        schema[keyword] = value;
      }
    };
    if (spec.minimum > smallest) bound("minimum", spec.minimum);
    if (spec.maximum < largest) bound("maximum", spec.maximum);
    return schema;
  }
  Schema whole() const {
    constexpr auto limit = static_cast<double>(largest_integer);
    Schema schema = limited("integer", -limit, limit);
    if (!schema.contains("minimum")) schema["minimum"] = -largest_integer;
    if (!schema.contains("maximum")) schema["maximum"] = largest_integer;
    return schema;
  }

  Schema operator()(std::int64_t) const { return whole(); }
  Schema operator()(double) const { return limited("number", -1e300, 1e300); }
  Schema operator()(const std::string&) const { return spec.choices.empty() ? text() : one_of(spec.choices); }
  Schema operator()(const std::vector<std::int64_t>&) const { return list_of(whole()); }
};

Schema knob_schema(const KnobSpec& knob) {
  Schema schema = one_or_list(std::visit(KnobSchema{knob}, knob.default_value));
  std::visit([&schema](const auto& value) { schema["default"] = value; }, knob.default_value);
  return described(std::move(schema), knob.description + " One value, or a list of values to try.");
}

Schema run_schema(const Family& family) {
  Schema keys;
  keys["family"] = described({{"const", family.name}}, family.description);
  for (const KnobSpec& knob : family.knobs) keys[knob.name] = knob_schema(knob);
  keys["types"] = described(
      with_default(list_of(one_of(names_of(family.types))), names_of(std::vector{family.types.front()})),
      "Element types.");
  keys["sizes"] = described(
      {{"$ref", "#/$defs/sizes"}},
      "Sizes n of the problems, as a list or as a geometric range. n counts " + family.size_means + ".");
  keys["entries"] =
      described(with_default(list_of(text()), Schema::array({family.name + "/*"})),
                "Full names or globs (* also crosses slashes) of the variants and baselines to measure.");
  keys["tunings"] = described(
      {{"$ref", "#/$defs/tunings"}},
      "Values of tunables to try, for the entries that have them. Default: each entry's default tuning.");
  keys["baseline"] = described(
      one_or_list(text()),
      "Full name or glob, or a list of them, of what the others are compared with; measured too. Default: all baselines among the entries.");
  return described(object(std::move(keys), {"family", "sizes"}), "A run of family " + family.name + ".");
}

Schema grid_schema() {
  const Schema value = integer(0, largest_integer);
  Schema values = any_of(list_of(value), {{"const", "all"}});
  return described(
      {{"type", "object"},
       {"additionalProperties",
        described(std::move(values),
                  "Values of the tunable, or \"all\" that the entry declares as worth trying.")}},
      "A grid: every combination of the values is a tuning.");
}

Schema runs_schema() {
  Schema names = Schema::array();
  Schema by_family = Schema::array();
  for (const auto& [name, family] : families()) {
    names.push_back(name);
    by_family.push_back({{"if", {{"properties", {{"family", {{"const", name}}}}}}},
                         {"then", {{"$ref", "#/$defs/" + name + "_run"}}}});
  }
  Schema run = {{"type", "object"},
                {"required", {"family", "sizes"}},
                {"properties", {{"family", described({{"enum", names}}, "What is computed.")}}},
                {"allOf", std::move(by_family)}};
  return list_of(std::move(run));
}

}  // namespace

nlohmann::ordered_json config_schema() {
  const Sweep defaults;
  const auto cap = [](std::int64_t max_n, const char* description) {
    return object({{"max_n", described(with_default(one_size(), max_n), description)}});
  };
  Schema keys;
  keys["$schema"] = described({{"type", "string"}}, "Where editors find this schema.");
  keys["title"] = described({{"type", "string"}}, "What the run is about, for people.");
  keys["device"] = described({{"type", "string"},
                              {"pattern", "^(auto|simt|host|cuda(:[0-9]{1,4})?)$"},
                              {"default", defaults.device}},
                             "auto (the first GPU, else simt), cuda, cuda:2, simt or host.");
  keys["seed"] = described(with_default(seed(), 1), "Default of measure.seed and check.seed.");
  keys["measure"] = described(measure_schema(), "How cells are measured.");
  keys["check"] = described(check_schema(), "How entries are checked before they are measured.");
  keys["simt"] =
      described(cap(defaults.simt_max_n, "Larger problems are left out of the plan on device simt."),
                "Limits on device simt.");
  keys["host"] =
      described(cap(defaults.host_max_n, "Larger problems are left out of the plan on device host."),
                "Limits on device host.");
  keys["runs"] =
      described(runs_schema(), "What is measured: each run asks for every combination of its lists.");

  Schema schema = {
      {"$schema", "https://json-schema.org/draft/2020-12/schema"},
      {"title", "Tally config"},
      {"description", "What `harness CONFIG` measures, and how. Printed by `harness --print-schema`."}};
  schema.update(object(std::move(keys), {"runs"}));
  schema["$defs"]["sizes"] = sizes_schema();
  schema["$defs"]["tunings"] = any_of({{"$ref", "#/$defs/grid"}}, list_of({{"$ref", "#/$defs/grid"}}));
  schema["$defs"]["grid"] = grid_schema();
  for (const auto& [name, family] : families()) schema["$defs"][name + "_run"] = run_schema(family);
  return schema;
}

}  // namespace tally
