#include "harness/sweep/worker.h"

#include <unistd.h>

#include <cerrno>
#include <future>
#include <memory>
#include <optional>

#include "harness/measure/group.h"
#include "harness/measure/settle.h"
#include "harness/results/journal.h"

namespace tally {
namespace {

/// Writes whole lines, so that the parent never sees a report torn by this process's own doing.
void write_line(int descriptor, const Json& json) {
  const std::string line = json_line(json) + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = write(descriptor, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);  // nobody listens any more
    done += static_cast<std::size_t>(written);
  }
}

/// Reads one line; false at the end.
bool read_line(int descriptor, std::string& buffer, std::string& line) {
  while (true) {
    const std::size_t end = buffer.find('\n');
    if (end != std::string::npos) {
      line = buffer.substr(0, end);
      buffer.erase(0, end + 1);
      return true;
    }
    char part[65536];
    const ssize_t got = read(descriptor, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffer.append(part, static_cast<std::size_t>(got));
  }
}

Json facts_json(const DeviceFacts& facts, const WorkerSetup& setup) {
  Json json{{"device", setup.identity},
            {"kind", name_of(facts.kind)},
            {"index", setup.device_index},
            {"name", facts.name}};
  const auto put = [&json](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  put("uuid", facts.uuid);
  put("driver", facts.driver);
  put("cuda", facts.cuda);
  put("cccl", facts.cccl);
  if (facts.kind == DeviceKind::cuda) json["sm_count"] = facts.multiprocessors;
  return json;
}

const char* name_of_scope(Activity::Scope scope) {
  switch (scope) {
    case Activity::Scope::entry:
      return "entry";
    case Activity::Scope::problem:
      return "problem";
    case Activity::Scope::cell:
      break;
  }
  return "cell";
}

class ReportingObserver final : public Observer {
 public:
  ReportingObserver(int reports, const std::atomic<bool>* stop) : reports_(reports), stop_(stop) {}

  void take_up(const Group& group, int repetition) {
    group_ = &group;
    repetition_ = repetition;
  }

  void begin(const Cell& cell, const Activity& activity) override {
    report("begin", {{"cell", &cell - group_->cells.data()},
                     {"what", activity.what},
                     {"scope", name_of_scope(activity.scope)},
                     {"seconds", activity.expected_seconds}});
  }
  void turn(const Cell& cell, const Turn& turn) override {
    report("turn", {{"cell", cell.name()}, {"repetition", repetition_}, {"turn", to_json(turn)}});
  }
  void row(const Row& row) override { report("row", to_json(row)); }
  void failure(const Failure& failure) override { report("failure", to_json(failure)); }
  void warning(const std::string& text) override { report("warning", {{"text", text}}); }
  bool stop_requested() override { return stop_ != nullptr && stop_->load(); }

  void report(const char* kind, const Json& content) {
    write_line(reports_, {{"kind", kind}, {"content", content}});
  }

 private:
  int reports_;
  const std::atomic<bool>* stop_;
  const Group* group_ = nullptr;
  int repetition_ = 0;
};

const char* name_of(GroupOutcome outcome) {
  switch (outcome) {
    case GroupOutcome::stopped:
      return "stopped";
    case GroupOutcome::spoilt:
      return "spoilt";
    case GroupOutcome::done:
      break;
  }
  return "done";
}

GroupOutcome carry_out(const WorkOrder& asked, const WorkerSetup& setup, const GroupContext& context,
                       ReportingObserver& observer) {
  GroupOrder order;
  order.group = &setup.plan->groups.at(asked.group);
  order.cells = asked.cells;
  order.repetition = asked.repetition;
  order.repetitions = setup.measure.processes;
  order.turns = asked.turns;
  observer.take_up(*order.group, order.repetition);
  return measure_group(order, context, observer);
}

}  // namespace

Json to_json(const WorkOrder& order) {
  Json turns = Json::object();
  for (const auto& [cell, taken] : order.turns) {
    for (const Turn& turn : taken) turns[cell].push_back(to_json(turn));
  }
  return {{"group", order.group}, {"repetition", order.repetition}, {"cells", order.cells}, {"turns", turns}};
}

WorkOrder order_from_json(const Json& json) {
  WorkOrder order;
  order.group = json.at("group");
  order.repetition = json.at("repetition");
  order.cells = json.at("cells").get<std::vector<std::size_t>>();
  const Json& turns = json.at("turns");
  for (const auto& [cell, taken] : turns.items()) {
    for (const Json& turn : taken) order.turns[cell].push_back(turn_from_json(turn));
  }
  return order;
}

namespace {

/// Nothing at the end.
std::optional<WorkOrder> next_order(int orders, std::string& buffer) {
  std::string line;
  if (!read_line(orders, buffer, line)) return std::nullopt;
  return order_from_json(Json::parse(line));
}

}  // namespace

void work(const WorkerSetup& setup, int orders, int reports) {
  ReportingObserver observer(reports, setup.stop);
  Checker checker(setup.check, setup.largest_n);
  std::string buffer;
  std::optional<WorkOrder> order = next_order(orders, buffer);
  if (!order) return;
  // A GPU's driver takes a while to open it, and leaves the cores to whom wants them.
  const ProblemKey& first = setup.plan->groups.at(order->group).problem;
  std::future<void> exact_answers =
      std::async(std::launch::async, [&checker, &first] { checker.find_exact_answers(first); });
  std::map<DeviceKind, std::unique_ptr<Device>> devices;
  const DeviceOf device_of = [&](DeviceKind kind) -> Device& {
    std::unique_ptr<Device>& device = devices[kind];
    if (device) return *device;
    const bool is_own = kind == setup.device;
    device = open_settled([&] { return setup.open(kind, is_own ? setup.device_index : 0); },
                          {.openings = setup.measure.contexts, .best = is_own ? setup.best_pace : Pace{}});
    return *device;
  };
  std::optional<Ceilings> ceilings;
  try {
    Device& device = device_of(setup.device);
    Json facts = facts_json(device.facts(), setup);
    if (const auto pace = device.pace()) facts.update(to_json(*pace));
    if (const int cycle = device.launch_cycle(); cycle > 0) facts["launch_cycle"] = cycle;
    observer.report("device", facts);
    if (setup.ceilings.is_null()) {
      ceilings = device.measure_ceilings();
      if (ceilings) observer.report("ceilings", to_json(*ceilings, device.facts().l2_bytes));
    } else {
      ceilings = ceilings_from_json(setup.ceilings);
    }
    observer.report("ready", Json::object());
  } catch (const DeviceMissing& error) {
    observer.report("missing", {{"text", error.what()}});
    return;
  }
  exact_answers.get();
  const GroupContext context{setup.measure, checker, device_of, ceilings};
  for (; order; order = next_order(orders, buffer)) {
    const GroupOutcome outcome = carry_out(*order, setup, context, observer);
    observer.report("done", {{"outcome", name_of(outcome)}});
    if (outcome != GroupOutcome::done) return;
  }
}

}  // namespace tally
