#include "harness/sweep/explain.h"

#include "harness/measure/memory.h"
#include "harness/sweep/config.h"
#include "harness/sweep/explain_page.h"
#include "harness/sweep/one_call.h"

namespace tally {
namespace {

Explained explained_on_simt(const Entry& entry, const ProblemKey& key, bool with_lines) {
  const Tuning tuning = entry.default_tuning();
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  Explained explained;
  explained.entry = entry.full_name();
  explained.tuning = tuning.text();
  explained.lesson = entry.lesson;
  OneCall call(*device, entry, key, tuning);
  {
    simt::Session session;
    device->run(call.prepared.work(Clock::device));
    explained.counters = session.total();
    if (with_lines) explained.lines = session.lines();  // starts a symbolizer
    explained.findings = session.findings();
  }
  const CheckedCall checked = call.prepared.check();
  explained.answer = checked.right ? "right" : "WRONG: " + checked.reason;
  return explained;
}

void require_memory(const ProblemKey& key) {
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const std::int64_t needed = footprint_of(*device, *make_problem(key), true);
  const std::int64_t available = available_memory(*device);
  if (needed <= available) return;
  throw ConfigError("--n " + std::to_string(key.n) + ": " + key.id() + " needs " + in_words(needed) +
                    " of memory, of which " + in_words(available) + " are free");
}

}  // namespace

std::string explain(const ExplainOptions& options) {
  std::vector<const Entry*> entries{&entry_named("--explain", options.entry)};
  if (options.against) entries.push_back(&entry_named("--against", *options.against));
  if (entries.back()->family != entries.front()->family) {
    throw ConfigError("--against " + *options.against + ": it answers another question than " +
                      options.entry + ": they are of the families " + entries.back()->family + " and " +
                      entries.front()->family);
  }
  std::vector<Explained> explained;
  ProblemKey key;
  for (const Entry* entry : entries) {
    key = problem_of(*entry, options.problem);
    if (const auto reason = cannot_be_called(*entry, key, DeviceKind::simt)) {
      throw ConfigError("--explain " + entry->full_name() + ": " + *reason);
    }
    require_memory(key);
    explained.push_back(explained_on_simt(*entry, key, !options.as_json));
  }
  if (options.as_json) {
    if (!simt::counting_available()) {
      throw ConfigError(
          "--explain --json: this harness does not count, for its kernels were not compiled by clang");
    }
    nlohmann::json json;
    for (const Explained& one : explained) json[one.entry] = one.counters.by_name();
    return json.dump(1) + "\n";
  }
  return explain_page(explained, key.id());
}

}  // namespace tally
