// Warp functions: lanes that name each other in a mask wait for each other and exchange values.
#include <algorithm>
#include <bit>

#include "harness/device/simt/block.h"
#include "harness/device/simt/lane_switch.h"
#include "harness/device/simt/symbols.h"

namespace tally::simt {
namespace {

const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::barrier:
      return "__syncwarp";
    case WarpOperation::shuffle:
      return "a shuffle";
    case WarpOperation::ballot:
      return "a vote";
    case WarpOperation::match_any:
      return "__match_any_sync";
    default:
      return "a __reduce function";
  }
}

std::string hexadecimal(unsigned mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::uint32_t combine(WarpOperation operation, std::uint32_t a, std::uint32_t b) {
  switch (operation) {
    case WarpOperation::add:
      return a + b;
    case WarpOperation::minimum_signed:
      return static_cast<std::int32_t>(b) < static_cast<std::int32_t>(a) ? b : a;
    case WarpOperation::maximum_signed:
      return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? b : a;
    case WarpOperation::minimum_unsigned:
      return std::min(a, b);
    case WarpOperation::maximum_unsigned:
      return std::max(a, b);
    case WarpOperation::bit_and:
      return a & b;
    case WarpOperation::bit_or:
      return a | b;
    default:
      return a ^ b;
  }
}

/// What all lanes of a vote or a reduction get.
std::uint32_t combined(const WarpMeeting& meeting, const LaneExchange* lanes) {
  std::uint32_t total = 0;
  unsigned rest = meeting.arrived;
  if (meeting.operation == WarpOperation::ballot) {
    for (; rest != 0; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      total |= static_cast<std::uint32_t>(lanes[l].value) << l;
    }
    return total;
  }
  total = static_cast<std::uint32_t>(lanes[std::countr_zero(rest)].value);
  for (rest &= rest - 1; rest != 0; rest &= rest - 1) {
    total =
        combine(meeting.operation, total, static_cast<std::uint32_t>(lanes[std::countr_zero(rest)].value));
  }
  return total;
}

}  // namespace

/// Out of the way, since what a waiting lane keeps on its stack is read again when it goes on.
__attribute__((noinline)) void Worker::refuse_meeting(WarpOperation operation, unsigned mask,
                                                      const void* place) {
  fail(FindingKind::inactive_lane,
       std::string("inactive lane: ") + name_of(operation) + " with mask " + hexadecimal(mask) +
           ", which does not name the calling lane " + std::to_string(here().lane->lane),
       place);
}

std::uint64_t Worker::meet(WarpOperation operation, unsigned mask, std::uint64_t value, unsigned source,
                           const void* place) {
  Lane& lane = *here().lane;
  tick(lane, 4, place);  // lanes may poll memory and meet in a loop
  if (((mask >> lane.lane) & 1) == 0) [[unlikely]]
    refuse_meeting(operation, mask, place);
  lane.state = LaneState::at_warp_meeting;
  lane.place = place;
  LaneExchange& exchange = exchanges_[lane.thread];
  exchange.value = value;
  exchange.source = source;
  Warp& warp = *here().warp;
  unsigned i = 0;
  while (i < warp.meeting_count &&
         (warp.meetings[i].mask != mask || warp.meetings[i].operation != operation)) {
    ++i;
  }
  WarpMeeting& meeting = warp.meetings[i];
  if (i == warp.meeting_count) {
    ++warp.meeting_count;
    meeting = {operation, mask, 0};
  }
  meeting.arrived |= 1u << lane.lane;
  if ((mask & warp.live & ~meeting.arrived) == 0) {
    complete(warp, i);
    warp.ready &= ~(1u << lane.lane);
  } else {
    moved_ = true;
    suspend(lane, warp);
  }
  lane.state = LaneState::ready;
  return exchange.result;
}

void Worker::complete(Warp& warp, unsigned index) {
  const WarpMeeting meeting = warp.meetings[index];
  std::copy(warp.meetings.begin() + index + 1, warp.meetings.begin() + warp.meeting_count,
            warp.meetings.begin() + index);
  --warp.meeting_count;
  LaneExchange* const lanes = &exchanges_[warp.first_thread];
  if (recorder_ != nullptr) recorder_->warp_met(warp, meeting);
  warp.ready |= meeting.arrived;
  const auto for_each = [&](auto visit) {
    for (unsigned rest = meeting.arrived; rest != 0; rest &= rest - 1) visit(std::countr_zero(rest));
  };
  if (meeting.operation == WarpOperation::shuffle) {
    // What a lane that takes no part would give is undefined; the lane's own value stands in for it.
    for_each([&](int l) {
      const unsigned source = lanes[l].source;
      const bool present = source < 32 && ((meeting.arrived >> source) & 1) != 0;
      lanes[l].result = lanes[present ? static_cast<int>(source) : l].value;
    });
  } else if (meeting.operation == WarpOperation::match_any) {
    for_each([&](int l) {
      std::uint32_t equal = 0;
      for_each([&](int other) {
        equal |= static_cast<std::uint32_t>(lanes[other].value == lanes[l].value) << other;
      });
      lanes[l].result = equal;
    });
  } else if (meeting.operation != WarpOperation::barrier) {
    const std::uint32_t total = combined(meeting, lanes);
    for_each([&](int l) { lanes[l].result = total; });
  }
}

unsigned Worker::meet_active(const void* place) {
  Lane& lane = *here().lane;
  Warp& warp = *here().warp;
  lane.state = LaneState::at_active_mask;
  lane.place = place;
  warp.at_active_mask |= 1u << lane.lane;
  moved_ = true;
  suspend(lane, warp);
  lane.state = LaneState::ready;
  return static_cast<unsigned>(exchanges_[lane.thread].result);
}

/// When no lane of the warp can run, those that stand at the same `__activemask()` are the active ones.
bool Worker::resolve_active_masks(Warp& warp) {
  if (warp.at_active_mask == 0) return false;
  const Lane* const lanes = &lanes_[warp.first_thread];
  const void* const place = lanes[std::countr_zero(warp.at_active_mask)].place;
  unsigned together = 0;
  for (unsigned rest = warp.at_active_mask; rest != 0; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    if (lanes[l].place == place) together |= 1u << l;
  }
  for (unsigned rest = together; rest != 0; rest &= rest - 1) {
    exchanges_[warp.first_thread + static_cast<unsigned>(std::countr_zero(rest))].result = together;
  }
  warp.at_active_mask &= ~together;
  warp.ready |= together;
  return true;
}

/// No thread can run: some warp function names lanes that will not come.
void Worker::explain_stuck() {
  for (Warp& warp : warps_) {
    for (unsigned i = 0; i < warp.meeting_count; ++i) {
      const WarpMeeting& meeting = warp.meetings[i];
      const unsigned missing = meeting.mask & warp.live & ~meeting.arrived;
      const Lane& waiting =
          lanes_[warp.first_thread + static_cast<unsigned>(std::countr_zero(meeting.arrived))];
      const Lane& absent = lanes_[warp.first_thread + static_cast<unsigned>(std::countr_zero(missing))];
      std::string where = absent.state == LaneState::at_barrier ? "wait at __syncthreads" : "wait elsewhere";
      if (const SourceLine line = source_line(absent.place); line.known()) where += " at " + line.text();
      throw_error(FindingKind::inactive_lane,
                  std::string("inactive lane: ") + name_of(meeting.operation) + " with mask " +
                      hexadecimal(meeting.mask) + " waits for lanes " + hexadecimal(missing) +
                      " of its warp, which " + where,
                  waiting.place, &waiting);
    }
  }
  for (const Lane& lane : lanes_) {
    if (lane.state == LaneState::at_barrier) {
      throw_error(FindingKind::deadlock,
                  "deadlock: " + std::to_string(at_barrier_) + " of " + std::to_string(live_) +
                      " threads wait at __syncthreads for the others",
                  lane.place, &lane);
    }
  }
  throw_error(FindingKind::deadlock, "deadlock: no thread can go on", nullptr, nullptr);
}

}  // namespace tally::simt
