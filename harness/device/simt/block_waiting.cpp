// How a block's threads wait, for each other and for other blocks, and how a launch ends when they wait in
// vain.
#include <cstdlib>
#include <thread>
#include <utility>

#include "harness/device/simt/block.h"
#include "harness/device/simt/lane_switch.h"
#include "harness/device/simt/symbols.h"
#include "harness/device/simt/text.h"

namespace tally::simt {
namespace {

/// A wait may count its looks and end by itself, so a worker has looked in vain only after many.
constexpr std::uint64_t rounds_of_a_vain_look = 2000;
constexpr std::uint64_t rounds_at_full_speed = 16;

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
  suspend(lane, *here().warp);
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

/// After a round in which no lane did more than look.
void Worker::wait_for_others() {
  if (!waiting_) {
    waiting_ = true;
    progress_.begin_to_wait();
  }
  if (const std::uint64_t now = progress_.generation(); now != generation_) {
    generation_ = now;  // some lanes may have looked before it began
    rounds_in_vain_ = 0;
    return;
  }
  if (++rounds_in_vain_ > rounds_at_full_speed) std::this_thread::yield();
  if (rounds_in_vain_ != rounds_of_a_vain_look || !progress_.looked_in_vain(generation_)) return;
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::pausing) {
      throw_error(FindingKind::deadlock, "deadlock: this thread waits for what no running thread will do",
                  lane.place, &lane);
    }
  }
  explain_stuck();
}

void Worker::stop_waiting() {
  if (!waiting_) return;
  waiting_ = false;
  progress_.stop_waiting();
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
  suspend(*here().lane, *here().warp);
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
