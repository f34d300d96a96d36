#include "harness/sweep/scheduler.h"

#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <utility>

#include "harness/measure/memory.h"
#include "harness/measure/settle.h"

namespace tally {
namespace {

/// Opening a GPU and measuring its ceilings, on a busy machine.
constexpr double start_seconds = 90;
constexpr int milliseconds_of_a_wait = 100;
/// Looks further apart say that this process was stopped, and its workers with it: Ctrl-Z, a suspended job.
constexpr std::chrono::seconds longest_pass(1);
constexpr int most_failed_starts = 3;
constexpr int most_fruitless = 3;

/// Memory that this process and its workers see alike.
std::atomic<bool>* shared_flag() {
  void* memory =
      mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return new (memory) std::atomic<bool>(false);
}

Activity::Scope scope_named(const std::string& name) {
  if (name == "entry") return Activity::Scope::entry;
  return name == "problem" ? Activity::Scope::problem : Activity::Scope::cell;
}

}  // namespace

double watchdog_seconds() {
  const char* const text = std::getenv("TALLY_WATCHDOG_SECONDS");
  const double seconds = text == nullptr ? 0 : std::atof(text);
  return seconds > 0 ? seconds : 30;
}

Scheduler::Scheduler(WorkerSetup setup, const std::vector<WorkerDevice>& devices, Ledger& ledger,
                     Journal& journal, Progress& progress, const std::vector<double>& weights, Hooks hooks,
                     std::vector<int> closed_in_workers)
    : setup_(std::move(setup)),
      ledger_(ledger),
      journal_(journal),
      progress_(progress),
      weights_(weights),
      hooks_(std::move(hooks)),
      closed_in_workers_(std::move(closed_in_workers)),
      stop_(shared_flag()),
      units_(*setup_.plan, weights, ledger_.units(), devices.size()) {
  setup_.stop = stop_;
  for (const WorkerDevice& device : devices) {
    slots_.emplace_back();
    slots_.back().device = device;
  }
  // What an earlier run has begun on one of these devices goes on there.
  for (const WorkUnit& unit : ledger_.units()) {
    for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
      if (ledger_.place_of(unit) == slots_[slot].device.identity) units_.give(unit.group, slot);
    }
  }
}

Scheduler::End Scheduler::run() {
  const Stopwatch watch;
  while (true) {
    const int interruptions = hooks_.interruptions();
    if (interruptions > 0) stop_->store(true);
    if (interruptions > 1) {
      for (Slot& slot : slots_) slot.worker.reset();
      return End::interrupted;
    }
    if (interruptions == 0) hand_out();
    const bool busy =
        std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.unit.has_value(); });
    if (!busy) break;
    wait_for_reports();
    for (Slot& slot : slots_) {
      if (slot.unit) listen(slot);
    }
    progress_.show(ledger_.cells_done(), ledger_.share_done(weights_), watch.seconds(), doing());
  }
  for (Slot& slot : slots_) {
    if (slot.worker) slot.worker->dismiss();
  }
  progress_.clear();
  return units_.empty() && !stop_->load() ? End::done : End::interrupted;
}

std::vector<std::unique_ptr<WorkerProcess>> Scheduler::leaving_workers() {
  std::vector<std::unique_ptr<WorkerProcess>> leaving;
  for (Slot& slot : slots_) {
    if (slot.worker) leaving.push_back(std::move(slot.worker));
  }
  return leaving;
}

std::map<std::string, double> Scheduler::seconds_spent() const {
  std::map<std::string, double> all;
  for (const Slot& slot : slots_) {
    for (const auto& [account, seconds] : slot.spent.seconds()) all[account] += seconds;
  }
  return all;
}

std::string Scheduler::doing() const {
  std::string text;
  for (const Slot& slot : slots_) {
    if (!slot.unit || !slot.busy_with) continue;
    if (!text.empty()) text += "  ";
    if (slots_.size() > 1) text += std::to_string(slot.device.index) + ": ";
    text += slot.busy_with->second.what + ": " +
            setup_.plan->groups[slot.unit->group].cells[slot.busy_with->first].entry->full_name();
  }
  return text;
}

void Scheduler::hand_out() {
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    Slot& slot = slots_[index];
    while (!slot.unit && !slot.given_up) {
      const std::optional<WorkUnit> unit = units_.take(index);
      if (!unit) break;
      if (!ledger_.order_for(*unit).cells.empty()) start(slot, *unit);
    }
    // It takes a while to leave its GPU: time for that while others still work.
    if (!slot.unit && slot.worker && units_.empty()) slot.worker->dismiss();
  }
  const bool all_given_up =
      std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.given_up; });
  if (all_given_up && !units_.empty()) {
    if (!missing_.empty()) throw DeviceMissing(missing_);
    throw std::runtime_error("no worker process stays alive long enough to open the device");
  }
}

void Scheduler::start(Slot& slot, const WorkUnit& unit) {
  // Repetitions are fresh processes: two of them differ more than two samples of one.
  if (slot.worker && (slot.repetition != unit.repetition || slot.worker->is_dismissed())) {
    slot.worker->retire();
    slot.worker.reset();
  }
  slot.unit = unit;
  slot.repetition = unit.repetition;
  slot.fruitful = false;
  slot.busy_with.reset();
  allow(slot, 0);
  if (!slot.worker) start_worker(slot);
  if (ledger_.place_of(unit) != slot.device.identity) {
    const std::vector<std::string> afresh = ledger_.place(unit, slot.device.identity);
    journal_.place({setup_.plan->groups[unit.group].problem.id(), unit.repetition}, slot.device.identity,
                   afresh);
  }
  slot.worker->send(ledger_.order_for(unit));
}

void Scheduler::start_worker(Slot& slot) {
  setup_.device_index = slot.device.index;
  setup_.identity = slot.device.identity;
  setup_.ceilings = slot.device.ceilings;
  setup_.best_pace = slot.device.best_pace;
  // A worker that holds another's end of a pipe open would keep it from seeing the end.
  std::vector<int> closed = closed_in_workers_;
  for (const Slot& other : slots_) {
    if (!other.worker) continue;
    for (const int descriptor : other.worker->descriptors()) closed.push_back(descriptor);
  }
  slot.ready = false;
  slot.spent.on("starts of workers");
  slot.worker = std::make_unique<WorkerProcess>(setup_, closed);
  allow(slot, start_seconds / 10);
}

void Scheduler::allow(Slot& slot, double expected_seconds) {
  const std::chrono::duration<double> time(watchdog_seconds() + 10 * expected_seconds);
  slot.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<Instant::duration>(time);
}

void Scheduler::forgive_standstill() {
  const Instant now = std::chrono::steady_clock::now();
  const Instant::duration stood = now - std::exchange(last_look_, now);
  if (stood < longest_pass) return;
  for (Slot& slot : slots_) slot.deadline += stood;
}

void Scheduler::wait_for_reports() const {
  std::vector<pollfd> descriptors;
  for (const Slot& slot : slots_) {
    if (slot.unit) descriptors.push_back({slot.worker->reports(), POLLIN, 0});
  }
  poll(descriptors.data(), descriptors.size(), milliseconds_of_a_wait);
}

void Scheduler::listen(Slot& slot) {
  for (const std::string& line : slot.worker->take_lines()) {
    const Json report = Json::parse(line, nullptr, false);
    if (report.is_discarded()) continue;  // an entry that writes to descriptors that are not its own
    take_report(slot, report);
    if (!slot.unit) return;
  }
  if (slot.worker->ended()) return lose(slot, false);
  forgive_standstill();
  if (std::chrono::steady_clock::now() > slot.deadline) lose(slot, true);
}

void Scheduler::take_report(Slot& slot, const Json& report) {
  const std::string kind = report.at("kind");
  const Json& content = report.at("content");
  if (kind == "missing") {
    const std::string text = content.at("text");
    if (missing_.empty()) missing_ = text;
    slot.worker->retire();
    slot.worker.reset();
    give_up(slot, text);
    put_back(slot);
  } else if (kind == "device") {
    if (!slot.noted) journal_.device(content);
    slot.noted = true;
    slot.device.best_pace = shorter_of(slot.device.best_pace, pace_from_json(content));
  } else if (kind == "ceilings") {
    journal_.ceilings(slot.device.identity, content);
    slot.device.ceilings = content;
  } else if (kind == "ready") {
    slot.ready = true;
    slot.failed_starts = 0;
  } else if (kind == "begin") {
    slot.busy_with = {content.at("cell").get<std::size_t>(),
                      Activity{content.at("what"), scope_named(content.at("scope")), content.at("seconds")}};
    allow(slot, slot.busy_with->second.expected_seconds);
    slot.spent.on(account_of(slot.busy_with->second));
  } else if (kind == "turn") {
    journal_.turn(content.at("cell"), content.at("repetition"), content.at("turn"));
    ledger_.turn(content);
  } else if (kind == "row") {
    journal_.row(content);
    ledger_.row(content);
    slot.fruitful = true;
  } else if (kind == "failure") {
    write_failures({content});
    slot.fruitful = true;
  } else if (kind == "warning") {
    const std::string text = content.at("text");
    if (said_.insert(text).second) hooks_.say("warning: " + text);
  } else if (kind == "done") {
    finish_unit(slot, content.at("outcome"));
  }
}

void Scheduler::write_failures(const std::vector<Json>& failures) {
  if (failures.empty()) return;
  journal_.failures(failures);
  for (const Json& failure : failures) {
    ledger_.failure(failure);
    const std::string status = failure.at("status");
    if (status == "skipped" || status == "known_wrong") continue;
    hooks_.say(status + ": " + failure.at("cell").get<std::string>() + ": " +
               failure.at("reason").get<std::string>());
  }
}

void Scheduler::finish_unit(Slot& slot, const std::string& outcome) {
  if (outcome != "done") {  // the worker goes by itself
    slot.worker->retire();
    slot.worker.reset();
  }
  put_back(slot);
}

void Scheduler::put_back(Slot& slot) {
  slot.spent.rest();
  WorkUnit unit = *slot.unit;
  slot.unit.reset();
  if (ledger_.order_for(unit).cells.empty()) return;
  unit.fruitless = slot.fruitful || stop_->load() ? 0 : unit.fruitless + 1;
  if (unit.fruitless >= most_fruitless) {
    write_failures(ledger_.give_up(unit, "no worker process brought a result"));
    return;
  }
  units_.put_back(unit);
}

void Scheduler::lose(Slot& slot, bool timed_out) {
  if (timed_out) slot.worker->kill_now();
  const std::string how = slot.worker->how_it_ended();
  // Killed from outside, by a person or for want of memory: that says nothing of the entry's other cells.
  if (slot.busy_with && !timed_out && slot.worker->was_killed())
    slot.busy_with->second.scope = Activity::Scope::cell;
  slot.worker.reset();
  if (slot.busy_with) {
    const auto& [cell, activity] = *slot.busy_with;
    const std::vector<Json> failures =
        ledger_.failures_of({slot.unit->group, cell, activity, timed_out, how});
    write_failures(failures);
    slot.fruitful = slot.fruitful || !failures.empty();
  } else if (!slot.ready && ++slot.failed_starts >= most_failed_starts) {
    give_up(slot, timed_out ? "its worker does not start" : how);
  }
  put_back(slot);
}

void Scheduler::give_up(Slot& slot, const std::string& reason) {
  slot.given_up = true;
  slot.fruitful = true;  // the unit is not to blame: another device may take it
  units_.release(static_cast<std::size_t>(&slot - slots_.data()));
  if (slots_.size() == 1 && !missing_.empty()) return;  // the run ends with that reason
  hooks_.say("device " + std::to_string(slot.device.index) + " is given up: " + reason);
}

}  // namespace tally
