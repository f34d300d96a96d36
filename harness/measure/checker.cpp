#include "harness/measure/checker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <set>

#include "harness/measure/memory.h"

namespace tally {
namespace {

constexpr std::size_t launches_watched_for_leaks = 10;  // asking the allocator takes longer than most calls

/// Equal for cells whose odd sizes are the same questions.
std::string question_of(const Cell& cell) {
  std::string text = cell.entry->full_name() + "/" + std::string(name_of(cell.problem.type));
  for (const auto& [name, value] : cell.problem.knobs) text += "/" + name + ":" + to_string(value);
  return text + "/" + cell.tuning.text() + "/" + std::string(name_of(cell.device));
}

std::string place_of(const ProblemKey& key) {
  return "n = " + std::to_string(key.n) + ", " + std::string(name_of(key.distribution));
}

void note(Verdict& verdict, const ProblemKey& key, const CheckedCall& call) {
  verdict.distributions[std::string(name_of(key.distribution))] = {call.figures.ulp, call.figures.error,
                                                                   key.n};
  if (call.right) return;
  verdict.right = false;
  verdict.reason = call.reason.starts_with("n = ") ? call.reason : place_of(key) + ": " + call.reason;
}

/// The launch that has just been noted, for the reason of a failure.
std::string place_of_launch(const std::vector<std::uint64_t>& hashes, std::size_t most, bool under_load) {
  return "launch " + std::to_string(hashes.size()) + " of " + std::to_string(most) +
         (under_load ? ", beside work of others: " : ": ");
}

}  // namespace

OutputSize output_size_of(const Problem& problem) {
  OutputSize size;
  for (const BufferSpec& spec : problem.buffers()) {
    if (spec.role == BufferSpec::Role::input) continue;
    size.elements += spec.count;
    size.bytes += spec.bytes();
  }
  return size;
}

/// Under load all that were asked for are wanted; the limit is there for those that would take hours.
double most_seconds_of_launches(bool under_load) { return under_load ? 60 : 0.2; }

double expected_check_seconds(const Cell& cell, const Problem& problem) {
  const double traffic = cell.entry->cost ? [&] {
    const Cost cost = cell.entry->cost(problem.key(), cell.tuning);
    return cost.bytes_read + cost.bytes_written;
  }()
                                          : problem.bytes();
  // The slowest that either is known to do: one thread of a GPU, the executor while it counts.
  const double rate = cell.device == DeviceKind::simt ? 5e6 : 1e8;
  return problem.bytes() / 1e8 + traffic / rate;
}

ProblemKey with_distribution(ProblemKey key, Distribution distribution) {
  key.distribution = distribution;
  return key;
}

void Checker::find_exact_answers(const ProblemKey& key) const {
  std::set<Distribution> all(settings_.distributions.begin(), settings_.distributions.end());
  all.insert(key.distribution);
  for (const Distribution distribution : all) {
    const std::unique_ptr<Problem> problem = make_problem(with_distribution(key, distribution));
    if (!output_size_of(*problem).is_one_number()) return;
    // Whatever stands for the answer, the exact one is found to be held against it.
    alignas(std::max_align_t) const std::array<std::byte, 16> any_answer{};
    const void* const outputs[] = {any_answer.data()};
    problem->check(outputs, std::nullopt);
  }
}

Verdict Checker::at_odd_sizes(const Cell& cell, Device& device, Observer& observer) {
  const std::string question = question_of(cell);
  const auto known = known_.find(question);
  if (known != known_.end()) return known->second;

  Verdict verdict;
  const auto cap = largest_n_.find(cell.device);
  std::vector<std::int64_t> sizes = settings_.sizes;
  std::sort(sizes.begin(), sizes.end());
  bool tried_one = false;
  for (const std::int64_t n : sizes) {
    if (!verdict.right || (cap != largest_n_.end() && n > cap->second)) break;
    ProblemKey key = cell.problem;
    key.n = n;
    key.seed = settings_.seed;
    bool large = false;
    try {
      large = output_size_of(*make_problem(key)).is_large();
    } catch (const ProblemError&) {
      continue;  // the family has no problem of that size
    }
    if (large && tried_one) break;
    std::unique_ptr<ProblemArrays> arrays;
    for (const Distribution distribution : settings_.distributions) {
      key.distribution = distribution;
      if (large && tried_one) break;
      if (cell.entry->cannot_take(key, cell.tuning)) continue;
      const std::unique_ptr<Problem> problem = make_problem(key);
      if (cell.entry->implementation_for(cell.device, *problem) == nullptr) break;
      if (footprint_of(device, *problem, cell.entry->destroys_input) > available_memory(device) / 2) break;
      observer.begin(cell, {"check at " + place_of(key), Activity::Scope::entry,
                            expected_check_seconds(cell, *problem)});
      if (!arrays) arrays = std::make_unique<ProblemArrays>(device, *problem, cell.entry->answers_on_host);
      arrays->fill_inputs(*problem);
      PreparedEntry prepared(*cell.entry, cell.tuning, *problem, *arrays, &right_answers_);
      note(verdict, key, prepared.check());
      tried_one = true;
      if (!verdict.right) break;
    }
  }
  known_.emplace(question, verdict);
  return verdict;
}

Verdict Checker::on_problem(const Cell& cell, ProblemArrays& arrays, Observer& observer) {
  Verdict verdict;
  if (const std::string id = cell.problem.id(); id != problems_of_) {
    problems_.clear();
    problems_of_ = id;
  }
  for (const Distribution distribution : settings_.distributions) {
    if (distribution == cell.problem.distribution) continue;
    const ProblemKey key = with_distribution(cell.problem, distribution);
    if (cell.entry->cannot_take(key, cell.tuning)) continue;
    std::unique_ptr<Problem>& problem = problems_[distribution];
    if (!problem) problem = make_problem(key);
    if (output_size_of(*problem).is_large()) break;
    observer.begin(cell, {"check at " + place_of(key), Activity::Scope::problem,
                          expected_check_seconds(cell, *problem)});
    arrays.fill_inputs(*problem);
    PreparedEntry prepared(*cell.entry, cell.tuning, *problem, arrays, &right_answers_);
    note(verdict, key, prepared.check());
    if (!verdict.right) break;
  }
  return verdict;
}

Verdict Checker::repeatedly(PreparedEntry& prepared, const Cell& cell, double seconds_a_call,
                            double seconds_a_check, std::vector<std::uint64_t>& hashes,
                            Observer& observer) const {
  const auto most = static_cast<std::size_t>(std::max(settings_.launches, 1));
  // The watchdog waits ten times as long, and the calls come to an end by themselves.
  const double expected =
      settings_.under_load ? most_seconds_of_launches(true) / 10 : most_seconds_of_launches(false);
  observer.begin(cell, {"repeated launches", Activity::Scope::problem,
                        std::max(expected, fewest_launches * (seconds_a_call + seconds_a_check))});
  const std::unique_ptr<Load> load = settings_.under_load ? prepared.device().begin_load() : nullptr;
  const double most_seconds = most_seconds_of_launches(load != nullptr);
  // The first call, whose time this is, also pays for what is made once: it says little of a thousand calls.
  const double affordable = most_seconds / std::max(seconds_a_call, 1e-9);
  std::set<std::uint64_t> known(hashes.begin(), hashes.end());
  Verdict verdict;
  const Stopwatch watch;
  LeakDetector leaks(prepared.device());
  for (std::size_t launch = 0; verdict.right && hashes.size() + 1 < most; ++launch) {
    const bool enough =
        (!load && static_cast<double>(launch) >= affordable) || watch.seconds() >= most_seconds;
    if (enough && launch >= fewest_launches) break;
    hashes.push_back(prepared.hash_of_one_call());
    prepared.device().take_findings();  // counts and findings of unasked calls must not look like a leak
    prepared.device().take_counters();
    if (launch < launches_watched_for_leaks) leaks.after_call();
    if (!known.insert(hashes.back()).second) continue;
    if (const auto fault = prepared.fault_of_answer(hashes.back())) {
      verdict.right = false;
      verdict.reason = place_of_launch(hashes, most, load != nullptr) + *fault;
    }
  }
  prepared.restore_inputs();
  verdict.under_load = load && load->is_on();
  const auto leak = leaks.verdict();
  if (verdict.right && leak) {
    verdict.right = false;
    verdict.reason = *leak;
  }
  return verdict;
}

}  // namespace tally
