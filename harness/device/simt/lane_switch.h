/// \file
/// How one lane makes way for the next: inlined into each place where a lane waits, since this is where a
/// kernel with many barriers spends its time.
#pragma once

#include <bit>

#include "harness/device/simt/block.h"
#include "harness/device/simt/recorder.h"

namespace tally::simt {

/// Those of `warp` named in `ready` can run: the first of them does.
TALLY_SIMT_INLINE void Worker::switch_to_first(Warp& warp, unsigned ready, FiberContext& from) {
  Lane* const lanes = &lanes_[warp.first_thread];
  Lane& lane = lanes[std::countr_zero(ready)];
  if (!lane.context.exists()) [[unlikely]]
    begin_fiber(lane);
  const unsigned later = ready & (ready - 1);
  warp.ready &= ~(ready ^ later);
  if (later != 0) {
    // The stack after this one is far from the cache, and so is the lane after that.
    const Lane* const after = lanes + std::countr_zero(later);
    const char* const stack = static_cast<const char*>(after->context.stack);
    __builtin_prefetch(stack);
    __builtin_prefetch(stack + 64);
    __builtin_prefetch(stack + 128);
    __builtin_prefetch(after + 1);
  }
  here().lane = &lane;
  if (recorder_ != nullptr) recorder_->lane_runs(lane);
  switch_fiber(from, lane.context);
}

TALLY_SIMT_INLINE void Worker::suspend(Lane& lane, Warp& warp) {
  const unsigned later = warp.ready & (~0u << lane.lane);  // the lane itself is not ready
  if (later != 0 && !failed_) [[likely]] {
    switch_to_first(warp, later, lane.context);
  } else {
    here().lane = nullptr;
    switch_fiber(lane.context, scheduler_);
  }
}

}  // namespace tally::simt
