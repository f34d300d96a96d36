#include "harness/sweep/estimate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <thread>

#include "harness/measure/checker.h"

namespace tally {
namespace {

// What a GPU of today does: a launch, bytes a second, and what a cold sample costs beside its call (flush,
// events, queueing). Round figures of an H200; the bytes are those of a ladder's mean.
constexpr double gpu_launch = 4e-6;
constexpr double gpu_bytes = 2e12;
constexpr double gpu_sample = 45e-6;
// A warm sample is a batch of calls of at least so long.
constexpr double shortest_batch = 50e-6;
constexpr double warm_sample = 40e-6;
// What library code reads a second on the host, and what a call costs.
constexpr double host_bytes = 8e9;
constexpr double host_call = 2e-6;
// What a core takes through a kernel a second on the executor, counting and checking: threads, and beyond one
// element a thread elements.
constexpr double executor_threads = 3e6;
constexpr double executor_launch = 1e-3;
// What it costs beside a call to poison and hash its answer, and to check it: allocate, fill, compare.
constexpr double gpu_look = 30e-6;
constexpr double gpu_check = 0.4e-3;
// What a call waits for beside work of others, which comes in bursts (guessed from their length).
constexpr double gpu_burst = 200e-6;
// An exact sum, and arrays held against their exact elements: elements a second on one core.
constexpr double exact_elements = 9e7;
constexpr double compared_elements = 2e7;
// A check at a small size: allocate, fill, call, compare.
constexpr double small_check = 1e-3;
// A worker process: its start, and on a GPU the context and the ceilings.
constexpr double gpu_worker = 1.2;
// Another context, where a process looks for one like the others': not all are.
constexpr double gpu_contexts = 2 * 0.25;
constexpr double cpu_worker = 0.1;
// Interquartile range over median of a usual short call, and up to which time a call is short; beyond, the
// noise falls with the root of the time. With it cells need the calls that those of sweep.json take on the
// average on an H200, 400 where they are short and 26 at 0.7 ms: a few restless ones count for most of them.
constexpr double noise_of_short_calls = 0.055;
constexpr double short_call = 20e-6;

double needed_samples(double half_width, double call) {
  const double noise = noise_of_short_calls * std::sqrt(short_call / std::max(call, short_call));
  // The 95% interval of a median of normal samples: ±1.96 · 1.2533 · σ / sqrt(samples), with σ = IQR / 1.349.
  const double relative = 1.96 * 1.2533 * noise / 1.349 / half_width;
  return relative * relative;
}

double bytes_of(const Cell& cell) {
  if (cell.entry->cost) {
    const Cost cost = cell.entry->cost(cell.problem, cell.tuning);
    return cost.bytes_read + cost.bytes_written;
  }
  return make_problem(cell.problem)->bytes();
}

double launches_of(const Cell& cell) {
  return cell.entry->cost ? static_cast<double>(cell.entry->cost(cell.problem, cell.tuning).launches) : 2;
}

/// Threads or elements of a call on the executor, whichever are more.
double executor_work(const Cell& cell) {
  double threads = 1;
  for (const char* const name : {"blocks", "threads"}) {
    const auto value = cell.tuning.values().find(name);
    if (value == cell.tuning.values().end()) return static_cast<double>(cell.problem.n);
    threads *= static_cast<double>(value->second);
  }
  return std::max(threads, static_cast<double>(cell.problem.n));
}

/// The checks at small sizes, which each kind of cell (entry, type, knobs, tuning) has once in a process.
double small_checks(const Cell& cell, const Sweep& sweep) {
  double seconds = 0;
  for (const std::int64_t n : sweep.check.sizes) {
    if (cell.device != DeviceKind::cuda && n > sweep.simt_max_n) continue;
    Cell small = cell;
    small.problem.n = n;
    if (cell.entry->cannot_take(small.problem, small.tuning)) continue;
    seconds += small_check + (cell.device == DeviceKind::simt ? estimated_call(small) : 0);
  }
  return seconds * static_cast<double>(sweep.check.distributions.size());
}

double cores() { return std::max(1u, std::thread::hardware_concurrency()); }

/// What the checks of a problem take whichever entry answers.
struct Answer {
  double sum = 0;         ///< seconds of the exact sum, which its entries have in common
  double comparison = 0;  ///< seconds for the exact elements of one entry's answer
  double output_bytes = 0;
  double distributions = 1;  ///< that are tried at this size
};

Answer answer_of(const ProblemKey& key, const CheckSettings& check) {
  const OutputSize output = output_size_of(*make_problem(key));
  Answer answer;
  answer.output_bytes = static_cast<double>(output.bytes);
  if (!output.is_large()) answer.distributions = static_cast<double>(check.distributions.size());
  if (output.is_one_number()) {
    answer.sum = static_cast<double>(key.n) / (exact_elements * cores());
  } else {
    answer.comparison = static_cast<double>(output.elements) / (compared_elements * cores());
  }
  return answer;
}

/// A call whose bits are looked at, beside work of others where that is asked for and to be had.
double repeated_call(const Cell& cell, const Answer& answer, bool under_load) {
  double seconds = estimated_call(cell);
  if (!cell.entry->not_deterministic.empty()) seconds += answer.comparison;  // other bits each time
  if (cell.device != DeviceKind::cuda) return seconds;
  return seconds + gpu_look + 2 * answer.output_bytes / gpu_bytes + (under_load ? gpu_burst : 0);
}

double checking(const Cell& cell, const Answer& answer, const CheckSettings& check) {
  const bool under_load = check.under_load && cell.device == DeviceKind::cuda;
  const double repeated = repeated_call(cell, answer, under_load);
  const double launches = std::min(
      check.launches * repeated, std::max(most_seconds_of_launches(under_load), fewest_launches * repeated));
  // Each distribution, and the measured one before and after: on a GPU the inputs are filled and hashed
  // twice.
  double one = estimated_call(cell);
  if (cell.device == DeviceKind::cuda) one += gpu_check + 4 * bytes_of(cell) / gpu_bytes;
  return launches + (answer.distributions + 1) * one + answer.distributions * answer.comparison;
}

}  // namespace

double estimated_call(const Cell& cell) {
  switch (cell.device) {
    case DeviceKind::cuda:
      return gpu_launch * launches_of(cell) + bytes_of(cell) / gpu_bytes;
    case DeviceKind::host:
      return host_call + bytes_of(cell) / host_bytes;
    case DeviceKind::simt:
      return executor_launch * launches_of(cell) + executor_work(cell) / (executor_threads * cores());
  }
  return 0;
}

double estimated_sampling(const Cell& cell, const MeasureSettings& measure) {
  const double call = estimated_call(cell);
  if (cell.device == DeviceKind::simt) return call;
  double sample =
      cell.cache != CacheState::warm ? call + gpu_sample : std::max(call, shortest_batch) + warm_sample;
  if (cell.device == DeviceKind::host) sample = call;
  const double samples =
      std::clamp(needed_samples(measure.half_width, call), static_cast<double>(measure.min_samples),
                 static_cast<double>(measure.max_samples));
  const double least = sample * measure.min_samples;
  return std::max(least, std::min(samples * sample, measure.max_seconds));
}

double estimated_seconds(const Group& group, const Sweep& sweep) {
  const Answer answer = answer_of(group.problem, sweep.check);
  double seconds = answer.distributions * answer.sum;
  const Cell* before = nullptr;
  for (const Cell& cell : group.cells) {
    if (cell.entry->known_wrong.empty()) seconds += estimated_sampling(cell, sweep.measure);
    // Cells that differ in cache or clock alone are checked once, and stand together.
    const bool is_checked_already =
        before != nullptr && before->entry == cell.entry && before->tuning == cell.tuning;
    if (!is_checked_already) seconds += checking(cell, answer, sweep.check);
    before = &cell;
  }
  return seconds * sweep.measure.processes;
}

double estimated_seconds(const Plan& plan, const Sweep& sweep) {
  if (plan.groups.empty()) return 0;
  const bool uses_gpu = plan.groups.front().cells.front().device == DeviceKind::cuda;
  double checks = uses_gpu ? gpu_worker : cpu_worker;
  if (uses_gpu && sweep.measure.contexts > 1) checks += gpu_contexts;
  double seconds = 0;
  std::set<std::string> met;
  for (const Group& group : plan.groups) {
    seconds += estimated_seconds(group, sweep);
    for (const Cell& cell : group.cells) {
      ProblemKey kind = cell.problem;
      kind.n = 0;
      const std::string name = cell.entry->full_name() + " " + kind.id() + " " + cell.tuning.text();
      if (met.insert(name).second) checks += small_checks(cell, sweep);
    }
  }
  return seconds + checks * sweep.measure.processes;
}

}  // namespace tally
