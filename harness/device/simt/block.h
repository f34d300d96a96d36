/// \file
/// One block at work on one core: its threads, where each of them stands, and the turns they take.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/device/simt/counters.h"
#include "harness/device/simt/executor.h"
#include "harness/device/simt/fiber_switch.h"
#include "harness/device/simt/fibers.h"
#include "harness/device/simt/grid_progress.h"
#include "harness/device/simt/lane_runtime.h"

namespace tally::simt {

class Recorder;

enum class LaneState : std::uint8_t {
  ready,
  at_barrier,
  at_warp_meeting,
  at_active_mask,
  pausing,
  log_full,
  ended
};

/// One thread of the block: what every turn needs, in one cache line.
struct alignas(64) Lane {
  FiberContext context;
  const void* place = nullptr;  ///< the call at which it waits
  LaneState state = LaneState::ended;
  std::uint8_t lane = 0;     ///< in its warp
  std::uint16_t thread = 0;  ///< in its block, x fastest

  // Since it last gave way: accesses left, and whether it can have done anything but wait.
  std::int32_t accesses_left = 0;
  std::uintptr_t lowest = 0, highest = 0;
  std::uint16_t atomics = 0;
  bool stored = false, changed = false;  ///< by a store, by an atomic
};
static_assert(sizeof(Lane) == 64);

/// What a lane brings to a warp meeting and what it gets there.
struct LaneExchange {
  std::uint64_t value = 0, result = 0;
  unsigned source = 0;
};

/// Lanes of one warp waiting for each other with the same mask and operation.
struct WarpMeeting {
  WarpOperation operation;
  unsigned mask, arrived;
};

struct Warp {
  unsigned first_thread = 0;
  unsigned existing = 0;  ///< lanes that the block has
  unsigned live = 0;      ///< lanes that have not ended
  unsigned ready = 0;     ///< lanes that can run and do not
  // Lanes in the states of these names.
  unsigned at_active_mask = 0, pausing = 0, log_full = 0;
  unsigned meeting_count = 0;
  std::array<WarpMeeting, 32> meetings;  ///< each lane is in one at most
};

/// A core's state. Blocks of a launch run here one after the other.
class Worker {
 public:
  Worker(const GridLaunch& launch, GridProgress& progress, Recorder* recorder);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Throws LaunchError; the worker can run another block afterwards.
  void run_block(uint3 block);

  // Called on fibers.
  int wait_at_barrier(BarrierResult result, int predicate, const void* place);
  std::uint64_t meet(WarpOperation operation, unsigned mask, std::uint64_t value, unsigned source,
                     const void* place);
  unsigned meet_active(const void* place);
  void give_way(LaneState state, const void* place);
  /// Counts `accesses` of the lane; after many, lets others run. `place` is told when nobody moves any more.
  void tick(Lane& lane, int accesses, const void* place) {
    if ((lane.accesses_left -= accesses) <= 0) give_way_after_long_run(lane, place);
  }
  /// Ends the launch with `message`; the calling fiber never goes on. `noted`: the recorder knows of it
  /// already.
  [[noreturn]] void fail(FindingKind kind, const std::string& message, const void* place, bool noted = false);

  const GridLaunch& launch() const { return launch_; }
  Lane& lane(unsigned thread) { return lanes_[thread]; }
  const LaneExchange& exchange(unsigned thread) const { return exchanges_[thread]; }
  uint3 thread_index(unsigned thread) const { return indices_[thread]; }
  Warp& warp(unsigned index) { return warps_[index]; }
  unsigned warp_count() const { return static_cast<unsigned>(warps_.size()); }
  unsigned thread_count() const { return thread_count_; }
  unsigned live_count() const { return live_; }
  uint3 block() const { return block_; }
  Recorder* recorder() { return recorder_; }
  const FiberStacks& stacks() const { return stacks_; }
  void* dynamic_shared() { return dynamic_shared_.get(); }
  /// Whether an address lies behind all static shared arrays, where the thread's runtime keeps its own.
  bool behind_static_shared(std::uintptr_t address) const { return address - static_shared_end_ < 64 * 1024; }

 private:
  [[noreturn]] static void run_lane();
  void set_failure(FindingKind kind, const std::string& message, const void* place, bool noted);
  void give_way_after_long_run(Lane& lane, const void* place);
  /// Runs the next lane of the warp that can, or else the scheduler; returns when this lane's turn comes
  /// again.
  void suspend(Lane& lane, Warp& warp);
  void switch_to_first(Warp& warp, unsigned ready, FiberContext& from);
  void begin_fiber(Lane& lane);
  /// What a turn of a warp came to: did any lane run, and did any do more than wait?
  struct Turn {
    bool ran = false, moved = false;
  };
  void begin_block(uint3 block);
  Turn run_warp(Warp& warp);
  bool resolve_active_masks(Warp& warp);
  static bool release(Warp& warp, unsigned& lanes);
  void complete(Warp& warp, unsigned meeting);
  [[noreturn]] void refuse_meeting(WarpOperation operation, unsigned mask, const void* place);
  void lane_ended(Lane& lane);
  void release_barrier();
  void check_barrier_is_uniform();
  [[noreturn]] void explain_stuck();
  void wait_for_others();
  void stop_waiting();
  [[noreturn]] void throw_error(FindingKind kind, const std::string& message, const void* place,
                                const Lane* lane);

  const GridLaunch& launch_;
  GridProgress& progress_;
  Recorder* recorder_;
  unsigned thread_count_;
  FiberStacks stacks_;
  DynamicShared dynamic_shared_;
  std::uintptr_t static_shared_end_ = 0;
  std::vector<Lane> lanes_;
  std::vector<LaneExchange> exchanges_;
  std::vector<uint3> indices_;
  std::vector<Warp> warps_;
  FiberContext scheduler_;
  uint3 block_{};
  unsigned live_ = 0, at_barrier_ = 0;
  // Of the barrier that threads wait at; the total also of the one they come from.
  int barrier_count_ = 0, barrier_total_ = 0;
  const void* barrier_place_ = nullptr;
  BarrierResult barrier_result_{};
  bool barrier_is_mixed_ = false, moved_ = false;
  // While it waits for other blocks: rounds of its lanes, all in vain, since `generation_` began.
  bool waiting_ = false;
  std::uint64_t generation_ = 0, rounds_in_vain_ = 0;

  // A fiber's failure, until the scheduler throws it.
  bool failed_ = false, error_noted_ = false;
  FindingKind error_kind_{};
  std::string error_;
  const void* error_place_ = nullptr;
  const Lane* error_lane_ = nullptr;
};

/// Thrown on a worker whose launch has failed on another one.
struct Stopped {};

/// Where this operating system thread stands: the fiber it runs, if any, and what each of its accesses needs.
struct Here {
  Lane* lane = nullptr;
  Warp* warp = nullptr;  ///< the lane's
  Worker* worker = nullptr;
  Recorder* recorder = nullptr;
  AddressRange local_memory;
};

/// Static shared arrays are thread-local variables, too; those that run over shall not reach the executor's
/// own.
struct PaddedHere {
  static constexpr std::size_t pad_bytes = 64 * 1024;
  char before[pad_bytes] = {};
  Here here;
  char behind[pad_bytes] = {};
};
extern thread_local constinit PaddedHere padded_here __attribute__((visibility("hidden")));
inline Here& here() { return padded_here.here; }

}  // namespace tally::simt
