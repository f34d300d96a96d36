#include "harness/sweep/run_document.h"

#include <iostream>
#include <set>
#include <stdexcept>

#include "harness/device/machine_code.h"
#include "harness/measure/random.h"
#include "harness/results/provenance.h"
#include "harness/sweep/config.h"

namespace tally {
namespace {

constexpr int schema_version = 1;

/// "cuda:0,2", "simt"
std::string device_text(const RunOptions& options) {
  std::string text(name_of(options.device));
  if (options.device != DeviceKind::cuda && options.devices.size() == 1) return text;
  for (const DeviceFacts& device : options.devices)
    text += (&device == &options.devices.front() ? ":" : ",") + std::to_string(device.index);
  return text;
}

void put(Json& target, const char* key, const Json& source, const char* source_key) {
  const std::string text = source.is_object() ? source.value(source_key, "") : "";
  if (!text.empty()) target[key] = text;
}

std::vector<CellPlace> places_of(const Plan& plan) {
  std::vector<CellPlace> places;
  std::map<const Entry*, std::pair<int, int>> families;  // index, instances so far
  for (const Group& group : plan.groups) {
    for (const Cell& cell : group.cells) {
      auto& [index, instances] =
          families.try_emplace(cell.entry, static_cast<int>(families.size()), 0).first->second;
      places.push_back({cell.name(), index, instances++});
    }
  }
  return places;
}

/// What the compiler made of each kernel in the planned entries' files. A run does without rather than end
/// without its results.
Json static_facts_of(const Plan& plan) {
  std::set<std::string> files;
  for (const Group& group : plan.groups) {
    for (const Cell& cell : group.cells) files.insert(cell.entry->file);
  }
  Json facts = Json::array();
  try {
    for (const KernelCode& kernel : kernels_in_this_program()) {
      if (files.contains(kernel.file)) facts.push_back(to_json(kernel));
    }
  } catch (const std::runtime_error& error) {
    std::cerr << "harness: no static facts in the results: " << error.what() << "\n";
  }
  return facts;
}

}  // namespace

JournalHeader journal_header(const Sweep& sweep, const Plan& plan, const RunOptions& options) {
  std::uint64_t cells = 1;
  for (const Group& group : plan.groups) {
    for (const Cell& cell : group.cells) cells = seed_for(cells, cell.name());
  }
  char plan_hash[20];
  std::snprintf(plan_hash, sizeof plan_hash, "%016llx", static_cast<unsigned long long>(cells));
  const BuildFacts& build = build_facts();
  return {{"schema_version", schema_version},
          {"config_hash", sweep.config_hash()},
          {"plan_hash", plan_hash},
          {"device", name_of(options.device)},
          {"git_revision", build.revision + (build.dirty ? " with changes" : "")}};
}

DocumentHead document_head(const Sweep& sweep, const Plan& plan, const RunOptions& options,
                           const Json& devices, const Json& context, const std::string& started) {
  // They are of one kind, on one host.
  const Json device = devices.empty() ? Json() : devices.front();
  const BuildFacts& build = build_facts();
  DocumentHead head;
  head.context = context;
  if (!build.revision.empty()) head.context["git_revision"] = build.revision;
  const bool on_gpu = options.device == DeviceKind::cuda;
  if (on_gpu) put(head.context, "gpu", device, "name");
  put(head.context, "driver", device, "driver");
  put(head.context, "cuda", device, "cuda");
  put(head.context, "cccl", device, "cccl");
  head.context["device"] = device_text(options);

  Json provenance{{"git_revision", build.revision}, {"dirty", build.dirty}, {"compiler", build.compiler}};
  put(provenance, "cuda", device, "cuda");
  put(provenance, "cccl", device, "cccl");
  if (on_gpu) {
    put(provenance, "gpu", device, "name");
    if (devices.size() == 1) put(provenance, "gpu_uuid", device, "uuid");
    put(provenance, "driver", device, "driver");
    if (device.is_object()) provenance["sm_count"] = device.value("sm_count", 0);
  }
  provenance["started"] = started;
  provenance["finished"] = timestamp();
  provenance["seed"] = sweep.measure.seed;

  head.tally = {{"schema_version", schema_version},
                {"title", sweep.title},
                {"config", Json::parse(sweep.json.dump())},
                {"config_hash", sweep.config_hash()},
                {"command", options.command_line},
                {"plan",
                 {{"cells", plan.cells()},
                  {"skipped", plan.skipped.size()},
                  {"left_out", plan.cells_too_large()},
                  {"problems", plan.groups.size()}}},
                {"shard", {{"index", options.shard.index}, {"count", options.shard.count}}},
                {"provenance", provenance}};
  if (on_gpu) head.tally["static_facts"] = static_facts_of(plan);
  head.cells = places_of(plan);
  for (const SkippedCell& skipped : plan.skipped) {
    head.skipped.push_back({skipped.cell.name(), skipped.cell.entry->full_name(), skipped.cell.problem.id(),
                            Failure::Status::skipped, skipped.reason});
  }
  return head;
}

}  // namespace tally
