#include <algorithm>
#include <stdexcept>

#include "harness/results/row_json.h"

namespace tally {
namespace {

/// The object at `key`, or an empty one; a copy that outlives a loop over its items.
Json object_in(const Json& json, const char* key) { return json.value(key, Json::object()); }

std::optional<Interval> interval_in(const Json& json) {
  const auto found = json.find("ci");
  if (found == json.end()) return std::nullopt;
  return Interval{found->at(0), found->at(1)};
}

KnobValue knob_from_json(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return json.get<std::vector<std::int64_t>>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.get<double>();
}

ScalarType type_from_json(const Json& json) {
  const auto type = scalar_type_named(json.get<std::string>());
  if (!type) throw std::invalid_argument("no such type: " + json.get<std::string>());
  return *type;
}

DeviceKind device_from_json(const Json& json) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::simt, DeviceKind::host}) {
    if (json.get<std::string>() == name_of(kind)) return kind;
  }
  throw std::invalid_argument("no such device: " + json.get<std::string>());
}

CheckFigures check_from_json(const Json& json) {
  CheckFigures check;
  check.ulp = json.value("ulp", 0.0);
  check.error = json.value("error", 0.0);
  check.condition = json.value("condition", 1.0);
  check.launches = json.value("launches", 0);
  check.distinct = json.value("distinct", 0);
  check.under_load = json.value("under_load", false);
  const Json distributions = object_in(json, "distributions");
  for (const auto& [name, found] : distributions.items()) {
    check.distributions[name] = {found.value("ulp", 0.0), found.value("error", 0.0),
                                 found.value("n", std::int64_t{0})};
  }
  return check;
}

ClockReading clocks_from_json(const Json& json) {
  ClockReading reading;
  reading.sm_mhz = json.value("sm_mhz", -1.0);
  reading.memory_mhz = json.value("memory_mhz", -1.0);
  reading.temperature_c = json.value("temperature_c", -1.0);
  reading.power_w = json.value("power_w", -1.0);
  reading.throttled = json.value("throttled", false);
  reading.throttle_reasons = json.value("throttle_reasons", "");
  return reading;
}

/// What names the cell and its entry.
void read_identity(const Json& tally, Row& row) {
  row.entry = tally.at("entry");
  row.family = tally.at("family");
  row.series = tally.at("series");
  row.baseline = tally.at("kind") == "baseline";
  if (tally.contains("stage")) row.stage = tally.at("stage").get<int>();
  row.follows = tally.value("follows", "");
  for (const Json& figure : tally.value("published", Json::array())) {
    row.published.push_back({figure.at("machine"), figure.at("n"), type_from_json(figure.at("type")),
                             figure.at("value"), figure.at("unit")});
  }
  row.problem = tally.at("problem");
  row.type = type_from_json(tally.at("type"));
  row.n = tally.at("n");
  const Json knobs = object_in(tally, "knobs");
  for (const auto& [name, value] : knobs.items()) row.knobs[name] = knob_from_json(value);
  row.tuning = Tuning(tally.value("tuning", std::map<std::string, std::int64_t>{}));
  for (const CacheState cache : all_cache_states) {
    if (tally.at("cache") == name_of(cache)) row.cache = cache;
  }
  for (const Clock clock : all_clocks) {
    if (tally.at("clock") == name_of(clock)) row.clock = clock;
  }
  row.device = device_from_json(tally.at("device"));
  if (tally.contains("gpu_index")) row.gpu_index = tally.at("gpu_index").get<int>();
  row.gpu_uuid = tally.value("gpu_uuid", "");
  if (tally.contains("launch_gap")) row.pace = pace_from_json(tally);
  row.like_for_like = tally.value("like_for_like", true);
}

}  // namespace

Row row_from_json(const Json& json) {
  const Json& tally = json.at("tally");
  Row row;
  row.name = json.at("name");
  row.family_index = json.at("family_index");
  row.per_family_instance_index = json.at("per_family_instance_index");
  row.repetitions = json.at("repetitions");
  row.repetition_index = json.at("repetition_index");
  row.cpu_seconds = json.at("cpu_time").get<double>() / 1e9;
  read_identity(tally, row);
  row.bytes = tally.value("bytes", 0.0);
  row.items = tally.value("items", 0.0);
  row.series_of_samples.samples = tally.value("samples", std::vector<double>{});
  row.series_of_samples.rounds = tally.value("rounds", std::vector<int>{});
  row.batch = tally.value("batch", 1);
  row.median = tally.value("median", 0.0);
  row.interval = interval_in(tally);
  row.noise = tally.value("noise", 0.0);
  row.stop_reason = tally.value("stop_reason", "");
  const Json ratios = object_in(tally, "ratios");
  for (const auto& [baseline, ratio] : ratios.items()) {
    row.ratios[baseline] = {ratio.at("value"), interval_in(ratio)};
  }
  if (const auto ceiling = tally.find("ceiling"); ceiling != tally.end()) {
    row.ceiling = CeilingFigures{ceiling->at("name"), ceiling->value("seconds", 0.0),
                                 ceiling->value("fraction", 0.0), ceiling->value("above", false)};
  }
  row.check = check_from_json(object_in(tally, "check"));
  row.counters = tally.value("counters", std::map<std::string, double>{});
  if (const auto clocks = tally.find("clocks"); clocks != tally.end()) row.clocks = clocks_from_json(*clocks);
  return row;
}

Failure failure_from_json(const Json& json) {
  Failure failure{json.at("cell"), json.at("entry"), json.at("problem"), {}, json.at("reason")};
  for (const auto status : {Failure::Status::skipped, Failure::Status::wrong, Failure::Status::crashed,
                            Failure::Status::timed_out, Failure::Status::known_wrong}) {
    if (json.at("status") == name_of(status)) failure.status = status;
  }
  return failure;
}

Turn turn_from_json(const Json& json) {
  Turn turn;
  turn.round = json.at("round");
  turn.batch = json.at("batch");
  turn.samples = json.at("samples").get<std::vector<double>>();
  turn.cpu_seconds = json.at("cpu_seconds");
  turn.seconds = json.at("seconds");
  turn.throttled = json.at("throttled");
  return turn;
}

Pace pace_from_json(const Json& json) {
  return {.launch_gap = json.value("launch_gap", 0.0), .round_trip = json.value("round_trip", 0.0)};
}

Ceilings ceilings_from_json(const Json& json) {
  Ceilings ceilings;
  ceilings.launch_floor_cold = json.value("launch_floor_cold", 0.0);
  ceilings.launch_floor_batched = json.value("launch_floor_batched", 0.0);
  ceilings.launch_floor_end_to_end = json.value("launch_floor_end_to_end", 0.0);
  ceilings.hbm_read = json.value("hbm_read", 0.0);
  ceilings.hbm_copy = json.value("hbm_copy", 0.0);
  for (const Json& footprint : json.value("l2_read", Json::array())) {
    ceilings.l2_read.push_back({footprint.at("bytes"), footprint.at("rate")});
  }
  return ceilings;
}

}  // namespace tally
