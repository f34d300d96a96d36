#include "harness/results/row_json.h"

#include <cmath>

namespace tally {
namespace {

/// JSON knows no infinity and no NaN: such a figure is not written.
void put(Json& target, const char* key, double value) {
  if (std::isfinite(value)) target[key] = value;
}

void put(Json& target, const char* key, const std::optional<Interval>& interval) {
  if (interval) target[key] = {interval->low, interval->high};
}

Json published_json(const std::vector<Published>& published) {
  Json list = Json::array();
  for (const Published& figure : published) {
    list.push_back({{"machine", figure.machine},
                    {"n", figure.n},
                    {"type", name_of(figure.type)},
                    {"value", figure.value},
                    {"unit", figure.unit}});
  }
  return list;
}

Json check_json(const CheckFigures& check) {
  Json json{{"status", "right"}};
  put(json, "ulp", check.ulp);
  put(json, "error", check.error);
  put(json, "condition", check.condition);
  json["launches"] = check.launches;
  json["distinct"] = check.distinct;
  json["under_load"] = check.under_load;
  json["distributions"] = Json::object();
  for (const auto& [name, found] : check.distributions) {
    Json& distribution = json["distributions"][name];
    distribution = Json::object();
    put(distribution, "ulp", found.ulp);
    put(distribution, "error", found.error);
    distribution["n"] = found.n;
  }
  return json;
}

Json clocks_json(const ClockReading& reading) {
  Json json = Json::object();
  if (reading.sm_mhz >= 0) json["sm_mhz"] = reading.sm_mhz;
  if (reading.memory_mhz >= 0) json["memory_mhz"] = reading.memory_mhz;
  if (reading.temperature_c >= 0) json["temperature_c"] = reading.temperature_c;
  if (reading.power_w >= 0) json["power_w"] = reading.power_w;
  json["throttled"] = reading.throttled;
  if (!reading.throttle_reasons.empty()) json["throttle_reasons"] = reading.throttle_reasons;
  return json;
}

Json tally_json(const Row& row) {
  Json json{{"entry", row.entry},
            {"family", row.family},
            {"series", row.series},
            {"kind", row.baseline ? "baseline" : "variant"}};
  if (row.stage) json["stage"] = *row.stage;
  if (!row.follows.empty()) json["follows"] = row.follows;
  if (!row.published.empty()) json["published"] = published_json(row.published);
  json["problem"] = row.problem;
  json["type"] = name_of(row.type);
  json["n"] = row.n;
  json["knobs"] = Json::object();
  for (const auto& [name, value] : row.knobs) json["knobs"][name] = to_json(value);
  json["tuning"] = Json::object();
  for (const auto& [name, value] : row.tuning.values()) json["tuning"][name] = value;
  json["cache"] = name_of(row.cache);
  json["clock"] = name_of(row.clock);
  json["device"] = name_of(row.device);
  if (row.gpu_index) json["gpu_index"] = *row.gpu_index;
  if (!row.gpu_uuid.empty()) json["gpu_uuid"] = row.gpu_uuid;
  if (row.pace) json.update(to_json(*row.pace));
  json["like_for_like"] = row.like_for_like;
  json["bytes"] = row.bytes;
  json["items"] = row.items;
  json["samples"] = row.series_of_samples.samples;
  json["rounds"] = row.series_of_samples.rounds;
  json["batch"] = row.batch;
  put(json, "median", row.median);
  put(json, "ci", row.interval);
  put(json, "noise", row.noise);
  json["stop_reason"] = row.stop_reason;
  if (!row.ratios.empty()) {
    for (const auto& [baseline, ratio] : row.ratios) {
      Json& one = json["ratios"][baseline];
      put(one, "value", ratio.value);
      put(one, "ci", ratio.interval);
    }
  }
  if (row.ceiling) {
    json["ceiling"] = {{"name", row.ceiling->name}};
    put(json["ceiling"], "seconds", row.ceiling->seconds);
    put(json["ceiling"], "fraction", row.ceiling->fraction);
    json["ceiling"]["above"] = row.ceiling->above;
  }
  json["check"] = check_json(row.check);
  Json counters = Json::object();
  for (const auto& [name, value] : row.counters) put(counters, name.c_str(), value);
  if (!counters.empty()) json["counters"] = std::move(counters);
  if (row.clocks) json["clocks"] = clocks_json(*row.clocks);
  return json;
}

}  // namespace

Json to_json(const KnobValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const KernelCode& kernel) {
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(kernel.code_hash));
  return {{"file", kernel.file},
          {"kernel", kernel.kernel},
          {"architecture", kernel.architecture},
          {"registers", kernel.registers},
          {"stack_bytes", kernel.stack_bytes},
          {"local_loads", kernel.local_loads},
          {"local_stores", kernel.local_stores},
          {"static_shared_bytes", kernel.static_shared_bytes},
          {"barriers", kernel.barriers},
          {"code_bytes", kernel.code_bytes},
          {"code_hash", hash}};
}

Json to_json(const Row& row) {
  constexpr double nanoseconds = 1e9;
  Json json{{"name", row.name},
            {"family_index", row.family_index},
            {"per_family_instance_index", row.per_family_instance_index},
            {"run_name", row.name},
            {"run_type", "iteration"},
            {"repetitions", row.repetitions},
            {"repetition_index", row.repetition_index},
            {"threads", 1},
            {"iterations", row.series_of_samples.samples.size()}};
  put(json, "real_time", row.median * nanoseconds);
  put(json, "cpu_time", row.cpu_seconds * nanoseconds);
  json["time_unit"] = "ns";
  if (row.median > 0) {
    put(json, "bytes_per_second", row.bytes / row.median);
    put(json, "items_per_second", row.items / row.median);
  }
  if (row.device == DeviceKind::simt) json["label"] = "simt: executor's own time, not a GPU's";
  json["tally"] = tally_json(row);
  return json;
}

Json to_json(const Failure& failure) {
  return {{"cell", failure.cell},
          {"entry", failure.entry},
          {"problem", failure.problem},
          {"status", name_of(failure.status)},
          {"reason", failure.reason}};
}

Json to_json(const Turn& turn) {
  return {{"round", turn.round},     {"batch", turn.batch},
          {"samples", turn.samples}, {"cpu_seconds", turn.cpu_seconds},
          {"seconds", turn.seconds}, {"throttled", turn.throttled}};
}

Json to_json(const Pace& pace) {
  Json json = Json::object();
  put(json, "launch_gap", pace.launch_gap);
  put(json, "round_trip", pace.round_trip);
  return json;
}

Json to_json(const Ceilings& ceilings, std::int64_t l2_bytes) {
  Json json = Json::object();
  put(json, "launch_floor_cold", ceilings.launch_floor_cold);
  put(json, "launch_floor_batched", ceilings.launch_floor_batched);
  if (ceilings.launch_floor_end_to_end > 0)
    put(json, "launch_floor_end_to_end", ceilings.launch_floor_end_to_end);
  put(json, "hbm_read", ceilings.hbm_read);
  put(json, "hbm_copy", ceilings.hbm_copy);
  json["l2_read"] = Json::array();
  for (const auto& [bytes, rate] : ceilings.l2_read)
    json["l2_read"].push_back({{"bytes", bytes}, {"rate", rate}});
  json["l2_bytes"] = l2_bytes;
  return json;
}

}  // namespace tally
