// How a block's threads wait, for each other and for other blocks, and how a launch ends when they wait in
// vain.
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "harness/device/simt/block.h"
#include "harness/device/simt/lane_switch.h"
#include "harness/device/simt/symbols.h"
#include "harness/device/simt/text.h"

namespace tally::simt {
namespace {

/// All wait, and none has moved for so long. A worker that could go on may be held up by the system: on a
/// busy machine for tens of milliseconds.
constexpr std::uint64_t idle_rounds_until_deadlock = 2000;
constexpr std::chrono::seconds idle_time_until_deadlock{2};

}  // namespace

int Worker::wait_at_barrier(BarrierResult result, int predicate, const void* place) {
  Lane& lane = *here().lane;
  lane.state = LaneState::at_barrier;
  lane.place = place;
  if (at_barrier_++ == 0) {
    barrier_place_ = place;
    barrier_result_ = result;
  }
  barrier_is_mixed_ |= barrier_place_ != place || barrier_result_ != result;
  barrier_count_ += predicate != 0 ? 1 : 0;
  moved_ = true;
  suspend(lane, warps_[lane.thread / 32]);
  lane.state = LaneState::ready;
  if (result == BarrierResult::count) return barrier_total_;
  return result == BarrierResult::all ? barrier_total_ == static_cast<int>(thread_count_)
                                      : barrier_total_ != 0;
}

void Worker::check_barrier_is_uniform() {
  if (live_ != thread_count_) {
    const Lane* waiting = nullptr;
    for (const Lane& lane : lanes_) {
      if (lane.state != LaneState::ended) waiting = &lane;
    }
    throw_error(FindingKind::divergent_barrier,
                "divergent barrier: " + std::to_string(live_) + " threads wait at __syncthreads, the other " +
                    std::to_string(thread_count_ - live_) + " have ended",
                waiting->place, waiting);
  }
  if (!barrier_is_mixed_) return;
  const SourceLine here_line = source_line(barrier_place_);
  for (const Lane& lane : lanes_) {
    if (lane.place == barrier_place_) continue;
    const SourceLine there_line = source_line(lane.place);
    if (!here_line.known() || !there_line.known() || here_line == there_line) continue;
    throw_error(FindingKind::divergent_barrier,
                "divergent barrier: this thread waits at __syncthreads here, others at " + here_line.text(),
                lane.place, &lane);
  }
}

void Worker::release_barrier() {
  check_barrier_is_uniform();
  barrier_total_ = std::exchange(barrier_count_, 0);
  barrier_is_mixed_ = false;
  at_barrier_ = 0;
  for (Warp& warp : warps_) warp.ready = warp.live;
  if (recorder_ != nullptr) recorder_->barrier_passed();
}

void Worker::wait_for_others() {
  if (!spinning_) {
    spinning_ = true;
    idle_rounds_ = 0;
    idle_since_ = std::chrono::steady_clock::now();
    progress_.busy.fetch_sub(1);
    seen_progress_ = progress_.moved.fetch_add(1) + 1;
  }
  if (const std::uint64_t moved = progress_.moved.load(); moved != seen_progress_) {
    seen_progress_ = moved;
    idle_rounds_ = 0;
    idle_since_ = std::chrono::steady_clock::now();
  }
  if (++idle_rounds_ > 16) std::this_thread::yield();
  if (idle_rounds_ < idle_rounds_until_deadlock || progress_.busy.load() > 0) return;
  if (std::chrono::steady_clock::now() - idle_since_ < idle_time_until_deadlock) return;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::pausing) {
      throw_error(FindingKind::deadlock, "deadlock: this thread waits for what no running thread will do",
                  lane.place, &lane);
    }
  }
  explain_stuck();
}

void Worker::stop_waiting() {
  if (!spinning_) return;
  spinning_ = false;
  progress_.busy.fetch_add(1);
  progress_.moved.fetch_add(1);
}

void Worker::set_failure(FindingKind kind, const std::string& message, const void* place, bool noted) {
  failed_ = true;
  error_noted_ = noted;
  error_kind_ = kind;
  error_ = message;
  error_place_ = place;
  error_lane_ = here().lane;
}

void Worker::fail(FindingKind kind, const std::string& message, const void* place, bool noted) {
  set_failure(kind, message, place, noted);
  moved_ = true;
  suspend(*here().lane, warps_[here().lane->thread / 32]);
  std::abort();  // a failed fiber is never resumed
}

void Worker::throw_error(FindingKind kind, const std::string& message, const void* place, const Lane* lane) {
  if (recorder_ != nullptr && !error_noted_)
    recorder_->note(kind, lane, place, "ends the launch: " + message);
  std::string text = kernel_name(launch_) + ": ";
  if (place != nullptr) {
    if (const SourceLine line = source_line(place); line.known()) text += line.text() + ": ";
  }
  text += message + " (block " + triple(block_);
  if (lane != nullptr) text += ", thread " + triple(indices_[lane->thread]);
  throw LaunchError(text + ")");
}

}  // namespace tally::simt
