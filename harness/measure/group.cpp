#include "harness/measure/group.h"

#include <algorithm>
#include <utility>

#include "harness/measure/group_run.h"
#include "harness/measure/memory.h"

namespace tally {

MeasureSettings settings_for(const MeasureSettings& settings, DeviceKind device) {
  MeasureSettings adjusted = settings;
  if (device == DeviceKind::simt) {
    adjusted.min_samples = 1;
    adjusted.max_samples = 1;
    adjusted.rounds = 1;
  }
  return adjusted;
}

GroupOutcome measure_group(const GroupOrder& order, const GroupContext& context, Observer& observer) {
  return GroupRun(order, context, observer).run();
}

GroupOutcome GroupRun::run() {
  for (const auto& [name, turns] : order_.turns) {
    for (const Turn& turn : turns) earlier_[name].add(turn.samples, turn.round);
  }
  gather();
  make_arrays();
  for (Entrant& entrant : entrants_) {
    if (entrant.state == Entrant::State::failed) continue;
    if (observer_.stop_requested()) return GroupOutcome::stopped;
    if (!guarded(entrant, [&] { check(entrant); })) return GroupOutcome::spoilt;
  }
  for (Entrant& entrant : entrants_) {
    if (entrant.state == Entrant::State::failed) continue;
    if (!guarded(entrant, [&] { prepare(entrant); })) return GroupOutcome::spoilt;
  }
  fill_inputs();  // the last entry that was prepared may have changed them
  make_contenders();
  bool stopped = false;
  const auto spoilt = sample(stopped);
  return spoilt ? GroupOutcome::spoilt : stopped ? GroupOutcome::stopped : GroupOutcome::done;
}

void GroupRun::gather() {
  for (const std::size_t index : order_.cells) {
    const Cell& cell = order_.group->cells[index];
    auto found = std::find_if(entrants_.begin(), entrants_.end(), [&cell](const Entrant& entrant) {
      return entrant.sample_cell->entry == cell.entry && entrant.sample_cell->tuning == cell.tuning;
    });
    if (found == entrants_.end()) {
      found = entrants_.insert(entrants_.end(), Entrant{});
      found->sample_cell = &cell;
      found->known_wrong = !cell.entry->known_wrong.empty();
    }
    cells_of_[&cell] = static_cast<std::size_t>(found - entrants_.begin());
  }
}

void GroupRun::make_arrays() {
  problem_ = make_problem(order_.group->problem);
  std::map<DeviceKind, bool> with_copies;
  bool host_answers = false;
  for (const auto& [cell, index] : cells_of_) {
    with_copies[cell->device] = with_copies[cell->device] || cell->entry->destroys_input;
    host_answers = host_answers || cell->entry->answers_on_host || cell->clock == Clock::end_to_end;
  }
  for (const auto& [kind, copies] : with_copies) {
    Device& device = context_.device_of(kind);
    const std::int64_t needed = footprint_of(device, *problem_, copies);
    const std::int64_t available = available_memory(device);
    std::string refused;
    if (needed > available) {
      refused = in_words(available) + " are free";
    } else {
      try {
        arrays_[kind] = std::make_unique<ProblemArrays>(device, *problem_, host_answers);
      } catch (const DeviceError& error) {
        refused = error.what();
      }
    }
    if (refused.empty()) continue;
    for (Entrant& entrant : entrants_) {
      if (entrant.sample_cell->device != kind) continue;
      fail(entrant, Failure::Status::skipped,
           "the arrays of " + problem_->key().id() + " need " + in_words(needed) + " of " +
               std::string(name_of(kind)) + " memory: " + refused);
    }
  }
}

void GroupRun::fill_inputs() {
  for (const auto& [kind, arrays] : arrays_) arrays->fill_inputs(*problem_);
}

bool GroupRun::guarded(Entrant& entrant, const std::function<void()>& step) {
  try {
    step();
  } catch (const std::exception& error) {
    // What an entry threw may have left its device, its heap or its arrays in any state.
    fail(entrant, entrant.known_wrong ? Failure::Status::known_wrong : Failure::Status::crashed,
         activity_ + ": " + error.what());
    return false;
  }
  return !entrant.damaged_memory;
}

void GroupRun::fail(Entrant& entrant, Failure::Status status, const std::string& reason) {
  entrant.state = Entrant::State::failed;
  for (const std::size_t index : order_.cells) {
    const Cell& cell = order_.group->cells[index];
    if (&entrants_[cells_of_.at(&cell)] != &entrant) continue;
    observer_.failure({cell.name(), cell.entry->full_name(), cell.problem.id(), status, reason});
  }
}

void GroupRun::fail_wrong(Entrant& entrant, const std::string& reason) {
  entrant.damaged_memory = reason.find("out of bounds") != std::string::npos;
  const std::string& known = entrant.sample_cell->entry->known_wrong;
  if (known.empty()) return fail(entrant, Failure::Status::wrong, reason);
  fail(entrant, Failure::Status::known_wrong, known + " (" + reason + ")");
}

void GroupRun::check(Entrant& entrant) {
  const Cell& cell = *entrant.sample_cell;
  Relay relay(observer_, activity_);
  Verdict verdict = context_.checker.at_odd_sizes(cell, context_.device_of(cell.device), relay);
  if (!verdict.right) return fail_wrong(entrant, verdict.reason);
  entrant.figures.distributions = std::move(verdict.distributions);

  verdict = context_.checker.on_problem(cell, *arrays_.at(cell.device), relay);
  if (!verdict.right) return fail_wrong(entrant, verdict.reason);
  for (const auto& [name, error] : verdict.distributions) entrant.figures.distributions[name] = error;
}

void GroupRun::prepare(Entrant& entrant) {
  const Cell& cell = *entrant.sample_cell;
  ProblemArrays& arrays = *arrays_.at(cell.device);
  Relay relay(observer_, activity_);
  relay.begin(cell, {"check of the measured problem", Activity::Scope::problem,
                     expected_check_seconds(cell, *problem_)});
  arrays.fill_inputs(*problem_);
  entrant.prepared = std::make_unique<PreparedEntry>(*cell.entry, cell.tuning, *problem_, arrays,
                                                     &context_.checker.right_answers());
  const CheckedCall call = entrant.prepared->check();
  entrant.seconds_a_call = call.seconds;
  entrant.hashes.push_back(call.hash);
  CheckFigures& figures = entrant.figures;
  figures.ulp = call.figures.ulp;
  figures.error = call.figures.error;
  figures.condition = call.figures.condition;
  const std::string distribution(name_of(problem_->key().distribution));
  figures.distributions[distribution] = {call.figures.ulp, call.figures.error, problem_->key().n};
  if (!call.right) return fail_wrong(entrant, call.reason);

  if (entrant.known_wrong) {
    observer_.warning(cell.entry->full_name() + " is marked known wrong and was right in every check of " +
                      problem_->key().id());
    return fail(entrant, Failure::Status::known_wrong,
                cell.entry->known_wrong + " (was right in every check here)");
  }
  const Verdict verdict = context_.checker.repeatedly(
      *entrant.prepared, cell, call.seconds, expected_check_seconds(cell, *problem_), entrant.hashes, relay);
  figures.under_load = verdict.under_load;
  if (!verdict.right) fail_wrong(entrant, verdict.reason);
}

}  // namespace tally
