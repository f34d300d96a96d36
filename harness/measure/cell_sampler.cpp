#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/measure/entrant.h"
#include "harness/measure/google_benchmark.h"
#include "harness/measure/memory.h"

namespace tally {
namespace {

/// Warm calls shorter than this are timed several at once, so that a sample lasts at least batch_seconds: the
/// clocks tell no more than half a microsecond apart.
constexpr double short_call = 20e-6;
constexpr double batch_seconds = 50e-6;
constexpr int largest_batch = 1000;

/// A pilot of calls longer than this is one call.
constexpr double long_call = 0.05;

}  // namespace

std::optional<ClockReading> ClockReader::read(Device& device) {
  const auto now = std::chrono::steady_clock::now();
  const bool fresh = last_ && !last_->throttled && now - taken_ < std::chrono::milliseconds(50);
  if (!fresh) {
    last_ = device.clocks();
    taken_ = now;
  }
  return last_;
}

CellSampler::CellSampler(const Cell& cell, Entrant& entrant, MeasureSettings settings,
                         ClockReader& clock_reader)
    : cell_(cell),
      entrant_(entrant),
      settings_(std::move(settings)),
      clock_reader_(clock_reader),
      name_(cell.name()),
      device_(entrant.prepared->device()),
      work_(entrant.prepared->work(cell.clock)),
      restore_(entrant.prepared->restore()) {}

double CellSampler::one_sample(int batch) {
  if (cell_.clock == Clock::graph && !recorded_) {
    work_ = entrant_.prepared->recorded();
    recorded_ = true;
  }
  SampleRequest request;
  request.cache = cell_.cache;
  request.clock = cell_.clock;
  request.batch = batch;
  request.hold = cell_.clock != Clock::end_to_end && !entrant_.prepared->entry().synchronises;
  request.label = name_.c_str();
  return device_.sample(work_, restore_, request);
}

Contender::Pilot CellSampler::pilot() {
  if (cell_.device == DeviceKind::simt) return {};
  const Contender::Pilot pilot = timed_pilot();
  entrant_.prepared->restore_inputs();
  return pilot;
}

Contender::Pilot CellSampler::timed_pilot() {
  double call = 0;
  const auto timed = [this, &call](int batch) {
    const Stopwatch watch;
    call = one_sample(batch);
    return watch.seconds();
  };
  double cost = timed(1);
  if (cost > long_call) return {cost, 1};
  cost = std::min(timed(1), timed(1));
  // A call that needs its input back cannot be followed at once by another.
  if (cell_.cache != CacheState::warm || call >= short_call || restore_) return {cost, 1};
  const double wanted = std::ceil(batch_seconds / std::max(call, 1e-9));
  const int batch = static_cast<int>(std::clamp<double>(wanted, 1, largest_batch));
  return {timed(batch), batch};
}

Turn CellSampler::attempt(int round, int samples, int batch) {
  Turn turn;
  turn.round = round;
  turn.batch = batch;
  const Stopwatch watch;
  const LoopReport report = run_google_benchmark(name_, samples, [&] {
    turn.samples.push_back(to_seven_digits(one_sample(batch)));
    return turn.samples.back();
  });
  turn.cpu_seconds = report.cpu_seconds;
  entrant_.prepared->restore_inputs();
  if (auto reading = clock_reader_.read(device_)) {
    turn.throttled = reading->throttled;
    reading_ = std::move(reading);
  }
  turn.seconds = watch.seconds();
  return turn;
}

Turn CellSampler::take_turn(int round, int samples, int batch) {
  Turn turn = attempt(round, samples, batch);
  // Samples of a throttled card say what the cooling does; they are taken again, as long as the cell's time
  // lasts.
  while (turn.throttled && throttled_seconds_ + turn.seconds < settings_.max_seconds) {
    throttled_seconds_ += turn.seconds;
    turn = attempt(round, samples, batch);
  }
  return turn;
}

}  // namespace tally
