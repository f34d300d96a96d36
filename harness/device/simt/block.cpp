#include "harness/device/simt/block.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "harness/device/simt/lane_switch.h"
#include "harness/device/simt/symbols.h"

namespace tally::simt {

thread_local constinit PaddedHere padded_here;

namespace {

constexpr int accesses_a_turn = 8192, accesses_a_turn_recorded = 1024, accesses_while_waiting = 128;
constexpr std::uintptr_t polling_span = 256;
constexpr unsigned long_turns_until_others_run = 64;

}  // namespace

Worker::Worker(const GridLaunch& launch, GridProgress& progress, Recorder* recorder)
    : launch_(launch),
      progress_(progress),
      recorder_(recorder),
      thread_count_(static_cast<unsigned>(launch.block.count())),
      stacks_(thread_count_),
      dynamic_shared_(launch.shared_bytes),
      lanes_(thread_count_),
      exchanges_(thread_count_),
      indices_(thread_count_),
      warps_((thread_count_ + 31) / 32) {
  static_shared_end_ = shared_arrays_of(launch.kernel).end;
  for (unsigned t = 0; t < thread_count_; ++t) {
    Lane& lane = lanes_[t];
    lane.thread = static_cast<std::uint16_t>(t);
    lane.lane = static_cast<std::uint8_t>(t % 32);
    indices_[t] = {t % launch.block.x, t / launch.block.x % launch.block.y,
                   t / launch.block.x / launch.block.y};
  }
  for (unsigned w = 0; w < warps_.size(); ++w) {
    const unsigned lanes = std::min(32u, thread_count_ - w * 32);
    warps_[w].first_thread = w * 32;
    warps_[w].existing = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  }
}

void Worker::run_lane() {
  Worker& worker = *here().worker;
  for (;;) {
    Lane& lane = *here().lane;
    try {
      worker.launch_.call(worker.launch_.arguments);
    } catch (const std::exception& error) {
      worker.set_failure(FindingKind::fault, std::string("exception: ") + error.what(), nullptr, false);
    } catch (...) {
      worker.set_failure(FindingKind::fault, "exception", nullptr, false);
    }
    lane.state = LaneState::ended;
    if (!worker.failed_) worker.lane_ended(lane);
    worker.moved_ = true;
    worker.suspend(lane, *here().warp);  // resumed for the same thread of the worker's next block
  }
}

void Worker::begin_fiber(Lane& lane) {
  lane.context = new_fiber<&Worker::run_lane>(stacks_.top(lane.thread), stacks_.usable_bytes(lane.thread));
}

void Worker::begin_block(uint3 block) {
  block_ = block;
  live_ = thread_count_;
  at_barrier_ = barrier_count_ = 0;
  barrier_is_mixed_ = false;
  failed_ = error_noted_ = false;
  for (Lane& lane : lanes_) {
    lane.state = LaneState::ready;
    lane.accesses_left = recorder_ != nullptr ? accesses_a_turn_recorded : accesses_a_turn;
    lane.atomics = 0;
    lane.stored = lane.changed = false;
    lane.lowest = ~std::uintptr_t{0};
    lane.highest = 0;
  }
  for (Warp& warp : warps_) {
    warp.live = warp.ready = warp.existing;
    warp.at_active_mask = warp.pausing = warp.log_full = 0;
    warp.meeting_count = 0;
  }
  if (recorder_ != nullptr) recorder_->begin_block(*this);
}

void Worker::run_block(uint3 block) {
  begin_block(block);
  here() = {nullptr, nullptr, this, recorder_, stacks_.range()};
  try {
    while (live_ > 0) {
      if (progress_.stopped.load(std::memory_order_relaxed)) throw Stopped{};
      Turn turn;
      for (Warp& warp : warps_) {
        const Turn of_warp = run_warp(warp);
        turn.ran |= of_warp.ran;
        turn.moved |= of_warp.moved;
      }
      if (live_ > 0 && at_barrier_ == live_) {
        release_barrier();
        turn.moved = true;
      } else if (live_ > 0 && !turn.ran) {
        explain_stuck();
      }
      if (turn.moved) {
        stop_waiting();
      } else {
        wait_for_others();
      }
    }
  } catch (...) {
    stop_waiting();
    here() = {};
    for (Lane& lane : lanes_)
      lane.context = {};  // fibers of a block that failed are dropped where they stand
    throw;
  }
  here() = {};
  if (recorder_ != nullptr) recorder_->end_block();
}

Worker::Turn Worker::run_warp(Warp& warp) {
  Turn turn;
  if (warp.live == 0) return turn;
  release(warp, warp.pausing);
  moved_ = false;
  here().warp = &warp;
  if (recorder_ != nullptr) recorder_->enter_warp(warp.first_thread / 32);
  for (unsigned long_turns = 0;;) {
    while (warp.ready != 0) {
      turn.ran = true;
      switch_to_first(warp, warp.ready, scheduler_);
      if (failed_) throw_error(error_kind_, error_, error_place_, error_lane_);
    }
    if (resolve_active_masks(warp)) continue;
    if (recorder_ != nullptr) recorder_->warp_stopped(warp);
    if (!release(warp, warp.log_full) || ++long_turns == long_turns_until_others_run) break;
  }
  if (recorder_ != nullptr && turn.ran) recorder_->leave_warp(warp);
  turn.moved = moved_;
  return turn;
}

/// Makes those of the warp's lanes ready; says whether there are any.
bool Worker::release(Warp& warp, unsigned& lanes) {
  const unsigned released = std::exchange(lanes, 0);
  warp.ready |= released;
  return released != 0;
}

void Worker::lane_ended(Lane& lane) {
  --live_;
  Warp& warp = *here().warp;
  warp.live &= ~(1u << lane.lane);
  for (unsigned i = warp.meeting_count; i-- > 0;) {
    if ((warp.meetings[i].mask & warp.live & ~warp.meetings[i].arrived) == 0) complete(warp, i);
  }
}

void Worker::give_way(LaneState state, const void* place) {
  Lane& lane = *here().lane;
  Warp& warp = *here().warp;
  const bool pausing = state == LaneState::pausing;
  moved_ |= !pausing || lane.stored || lane.changed;
  lane.state = state;
  lane.place = place;
  lane.accesses_left = pausing                ? accesses_while_waiting
                       : recorder_ != nullptr ? accesses_a_turn_recorded
                                              : accesses_a_turn;
  lane.atomics = 0;
  lane.stored = lane.changed = false;
  lane.lowest = ~std::uintptr_t{0};
  lane.highest = 0;
  (pausing ? warp.pausing : warp.log_full) |= 1u << lane.lane;
  suspend(lane, warp);
  lane.state = LaneState::ready;
}

/// A lane that in a whole turn has written nothing and read from one place only is taken to be waiting.
void Worker::give_way_after_long_run(Lane& lane, const void* place) {
  const bool waiting =
      !lane.stored && (lane.lowest > lane.highest || lane.highest - lane.lowest <= polling_span);
  give_way(waiting ? LaneState::pausing : LaneState::log_full, place);
}

}  // namespace tally::simt
