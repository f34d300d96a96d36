#include <algorithm>
#include <set>

#include "harness/catalog/catalog.h"
#include "harness/measure/ceiling.h"
#include "harness/measure/group_run.h"
#include "harness/measure/random.h"

namespace tally {
namespace {

/// Thrown out of the rounds by the turn that failed; the message is the entry's.
struct TurnFailed {
  std::size_t contender;
  std::string reason;
};

/// Place among the variants of its series, in teaching order.
std::optional<int> stage_of(const Entry& entry) {
  if (entry.kind != Entry::Kind::variant) return std::nullopt;
  const std::vector<const Entry*> stages = Catalog::instance().series(entry.family, entry.series);
  const auto found = std::find(stages.begin(), stages.end(), &entry);
  if (found == stages.end()) return std::nullopt;
  return static_cast<int>(found - stages.begin());
}

}  // namespace

void GroupRun::make_contenders() {
  for (const std::size_t index : order_.cells) {
    const Cell& cell = order_.group->cells[index];
    Entrant& entrant = entrants_[cells_of_.at(&cell)];
    if (entrant.state == Entrant::State::failed) continue;
    const MeasureSettings settings = settings_for(context_.measure, cell.device);
    const std::size_t contender = contenders_.size();
    samplers_.push_back(std::make_unique<CellSampler>(cell, entrant, settings, clock_reader_));
    CellSampler& sampler = *samplers_.back();
    // Turns of a throttled card are taken again while the cell's time lasts.
    const double retries = cell.device == DeviceKind::cuda ? settings.max_seconds : 0;
    const auto attempt = [this, contender, &cell, &entrant, retries](const char* what, double calls,
                                                                     auto step) {
      activity_ = what;
      observer_.begin(cell, {what, Activity::Scope::cell, calls * entrant.seconds_a_call + retries});
      try {
        return step();
      } catch (const std::exception& error) {
        throw TurnFailed{contender, std::string(what) + ": " + error.what()};
      }
    };
    contenders_.push_back(
        {.pilot = [=, &sampler] { return attempt("pilot", 4, [&] { return sampler.pilot(); }); },
         .take_turn =
             [=, &sampler](int round, int samples, int batch) {
               return attempt("sampling", static_cast<double>(samples) * batch,
                              [&] { return sampler.take_turn(round, samples, batch); });
             },
         .rule = StoppingRule(settings)});
    entrant.contenders.push_back(contender);
    const auto earlier = order_.turns.find(cell.name());
    if (earlier == order_.turns.end()) continue;
    for (const Turn& turn : earlier->second) contenders_.back().add(turn);
  }
  given_out_.assign(contenders_.size(), false);
}

bool GroupRun::sample(bool& stopped) {
  const std::uint64_t seed =
      seed_for(context_.measure.seed, problem_->key().id()) + static_cast<std::uint64_t>(order_.repetition);
  const auto passed_on = [this](std::size_t index, const Turn& turn) {
    observer_.turn(samplers_[index]->cell(), turn);
  };
  for (std::size_t index = 0; index < contenders_.size(); ++index) {
    contenders_[index].take_turn = [take = contenders_[index].take_turn, index, &passed_on](
                                       int round, int samples, int batch) {
      Turn turn = take(round, samples, batch);
      passed_on(index, turn);
      return turn;
    };
  }
  const auto settle = [this](std::size_t index) {
    Entrant& entrant = entrants_[cells_of_.at(&samplers_[index]->cell())];
    const bool all = std::all_of(entrant.contenders.begin(), entrant.contenders.end(),
                                 [this](std::size_t i) { return contenders_[i].stopped.has_value(); });
    if (entrant.state != Entrant::State::running || !all) return true;
    if (!finish(entrant)) return false;
    give_out_rows();
    return true;
  };
  bool spoilt = false;
  try {
    // Cells that had stopped in a process before this one, without having been checked again.
    for (std::size_t index = 0; index < contenders_.size() && !spoilt; ++index) {
      if (contenders_[index].stopped) spoilt = !settle(index);
    }
    if (spoilt) return true;
    take_turns(contenders_, seed, [&](std::size_t index) {
      Contender& contender = contenders_[index];
      if (observer_.stop_requested()) {
        stopped = true;
        while (!contender.stopped) {
          contender.add(contender.take_turn(contender.turns, contender.samples_in_a_turn, contender.batch));
        }
      }
      spoilt = contender.stopped && !settle(index);
      return !spoilt && !stopped;
    });
  } catch (const TurnFailed& failed) {
    Entrant& entrant = entrants_[cells_of_.at(&samplers_[failed.contender]->cell())];
    fail(entrant, Failure::Status::crashed, failed.reason);
    return true;
  }
  if (stopped) {
    stopped = !std::all_of(given_out_.begin(), given_out_.end(), [](bool given) { return given; });
  }
  return spoilt;
}

bool GroupRun::finish(Entrant& entrant) {
  Relay relay(observer_, activity_);
  return guarded(entrant, [&] {
    relay.begin(*entrant.sample_cell, {"check after timing", Activity::Scope::problem,
                                       expected_check_seconds(*entrant.sample_cell, *problem_)});
    Device& device = entrant.prepared->device();
    entrant.counters = entrant.prepared->counters();
    device.take_counters();  // those of the timed calls; the row has the counts of one call
    const CheckedCall call = entrant.prepared->check();
    for (const auto& [name, value] : device.take_counters()) entrant.counters.emplace(name, value);
    entrant.hashes.push_back(call.hash);
    entrant.figures.launches = static_cast<int>(entrant.hashes.size());
    entrant.figures.distinct =
        static_cast<int>(std::set<std::uint64_t>(entrant.hashes.begin(), entrant.hashes.end()).size());
    if (!call.right) {
      fail_wrong(entrant, "after timing: " + call.reason);
      fill_inputs();    // which it may have changed
      give_out_rows();  // others may have waited for it
      return;
    }
    entrant.state = Entrant::State::final;
  });
}

bool GroupRun::is_compared_with(const Cell& cell, const Cell& baseline) const {
  const auto& names = order_.group->baselines;
  return std::find(names.begin(), names.end(), baseline.entry->full_name()) != names.end() &&
         baseline.entry != cell.entry && baseline.device == cell.device && baseline.cache == cell.cache &&
         baseline.clock == cell.clock && cell.device != DeviceKind::simt;
}

bool GroupRun::baselines_are_final(const Cell& cell) const {
  return std::all_of(cells_of_.begin(), cells_of_.end(), [&](const auto& found) {
    return !is_compared_with(cell, *found.first) || entrants_[found.second].state != Entrant::State::running;
  });
}

void GroupRun::give_out_rows() {
  for (std::size_t index = 0; index < contenders_.size(); ++index) {
    const Cell& cell = samplers_[index]->cell();
    const Entrant& entrant = entrants_[cells_of_.at(&cell)];
    if (given_out_[index] || entrant.state != Entrant::State::final || !baselines_are_final(cell)) continue;
    given_out_[index] = true;
    observer_.row(row_of(index));
  }
}

std::map<std::string, Ratio> GroupRun::ratios_of(const Cell& cell, const Series& own) const {
  // A baseline with several tunings is compared at its best.
  std::map<std::string, std::pair<double, const Series*>> best;
  for (const Cell& baseline : order_.group->cells) {
    if (!is_compared_with(cell, baseline)) continue;
    const Series* series = nullptr;
    const auto done = earlier_.find(baseline.name());
    if (done != earlier_.end() && !cells_of_.contains(&baseline)) series = &done->second;
    for (std::size_t index = 0; index < contenders_.size(); ++index) {
      if (&samplers_[index]->cell() != &baseline) continue;
      const bool right = entrants_[cells_of_.at(&baseline)].state == Entrant::State::final;
      series = right ? &contenders_[index].series : nullptr;
    }
    if (series == nullptr || series->samples.empty()) continue;
    const double middle = median(series->samples);
    auto& kept = best[baseline.entry->full_name()];
    if (kept.second == nullptr || middle < kept.first) kept = {middle, series};
  }
  std::map<std::string, Ratio> ratios;
  for (const auto& [name, found] : best) {
    const auto ratio =
        ratio_of_medians(*found.second, own, seed_for(context_.measure.seed, cell.name() + name));
    if (ratio) ratios.emplace(name, *ratio);
  }
  return ratios;
}

Row GroupRun::row_of(std::size_t index) {
  const Contender& contender = contenders_[index];
  const CellSampler& sampler = *samplers_[index];
  const Cell& cell = sampler.cell();
  const Entrant& entrant = entrants_[cells_of_.at(&cell)];
  const Entry& entry = *cell.entry;
  Row row;
  row.name = cell.name();
  row.repetitions = order_.repetitions;
  row.repetition_index = order_.repetition;
  row.entry = entry.full_name();
  row.family = entry.family;
  row.series = entry.series;
  row.baseline = entry.kind == Entry::Kind::baseline;
  row.stage = stage_of(entry);
  row.follows = entry.predecessor;
  row.published = entry.published;
  row.problem = cell.problem.id();
  row.type = cell.problem.type;
  row.n = cell.problem.n;
  row.knobs = cell.problem.stated_knobs();
  row.tuning = cell.tuning;
  row.cache = cell.cache;
  row.clock = cell.clock;
  row.device = cell.device;
  const DeviceFacts& facts = entrant.prepared->device().facts();
  if (cell.device == DeviceKind::cuda) {
    row.gpu_index = facts.index;
    row.gpu_uuid = facts.uuid;
    row.pace = entrant.prepared->device().pace();
  }
  // On the CPU the answer is in host memory either way.
  row.like_for_like =
      cell.device != DeviceKind::cuda || cell.clock == Clock::end_to_end || !entry.answers_on_host;
  row.bytes = problem_->bytes();
  row.items = problem_->items();
  row.series_of_samples = contender.series;
  row.batch = contender.batch;
  std::vector<double> sorted = contender.series.samples;
  std::sort(sorted.begin(), sorted.end());
  row.median = median_of_sorted(sorted);
  row.interval = median_interval(sorted);
  row.noise = noise_of_sorted(sorted);
  row.stop_reason = name_of(*contender.stopped);
  row.cpu_seconds =
      contender.cpu_seconds / static_cast<double>(sorted.size() * static_cast<std::size_t>(row.batch));
  row.ratios = ratios_of(cell, contender.series);
  if (context_.ceilings && cell.device == DeviceKind::cuda) {
    row.ceiling = ceiling_of(*context_.ceilings, *problem_, cell.cache, cell.clock, facts.l2_bytes,
                             row.median, row.noise);
  }
  row.check = entrant.figures;
  row.counters = entrant.counters;
  row.clocks = sampler.clocks();
  if (row.clocks) row.clocks->throttled = contender.throttled;
  return row;
}

}  // namespace tally
