/// \file
/// What a Session does while launches run: it sees every access, every block of code and every meeting of
/// lanes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/device/simt/access_order.h"
#include "harness/device/simt/block.h"
#include "harness/device/simt/code_log.h"
#include "harness/device/simt/counters.h"
#include "harness/device/simt/event_log.h"
#include "harness/device/simt/findings.h"
#include "harness/device/simt/joint_accesses.h"
#include "harness/device/simt/memory.h"
#include "harness/device/simt/request_log.h"
#include "harness/device/simt/shadow.h"
#include "harness/device/simt/symbols.h"
#include "harness/device/simt/ways.h"

namespace tally::simt {

class Recorder {
 public:
  Recorder();

  // Launches, on the launching thread.
  void begin_launch(const GridLaunch& launch);
  void end_launch();

  // The block at work.
  void begin_block(Worker& worker);
  void end_block();
  void enter_warp(unsigned index) { warp_ = index; }
  void leave_warp(const Warp& warp);
  void warp_stopped(const Warp& warp);
  void warp_met(const Warp& warp, const WarpMeeting& meeting);
  void barrier_passed();

  // A lane at work.
  void lane_runs(const Lane& lane) {
    if (log_.is_full()) [[unlikely]]
      take_in_all();
    log_.begin_stretch(lane.lane);
  }
  /// False when the access must not be made: the launch ends with what refused() says of it.
  template <unsigned bytes>
  TALLY_SIMT_INLINE bool access(std::uintptr_t address, AccessKind kind, const void* place) {
    log_.add_access(requests_.site_of(place, kind, bytes), address);
    return address % bytes == 0 &&
           (kind == AccessKind::load || device_arena().contains(address) ||
            (address >= writable_begin_ && address + bytes <= writable_end_) || may_write(address, bytes));
  }
  void enter_code(std::uint32_t guard) { log_.add_code(guard); }
  void fence() { log_.add_fence(); }
  /// Whether the lane must give way before it does more.
  bool lane_is_full() const { return log_.stretch_is_full(); }
  /// Notes what is wrong with the last access, and describes it.
  std::string refused(AccessKind kind, std::uintptr_t address, unsigned bytes);

  /// An error that ends the launch, or `what` a lane did without one.
  void note(FindingKind kind, const Lane* lane, const void* place, const std::string& what);

  // For the Session.
  const std::vector<Session::Launch>& launches() const { return launches_; }
  const Counters& total() const { return total_; }
  std::vector<LineCounters> lines() const;
  std::vector<Finding> findings() const { return findings_.resolved(); }
  void clear();

 private:
  /// Where a message says that an address is.
  struct Named {
    std::string buffer, text;
  };
  void take_in(const Warp& warp, std::uint32_t running);
  void take_in_all();
  void check_accesses();
  struct Reached;
  bool check_together(bool by_ways);
  template <unsigned bytes>
  bool check_together(const JointAccess& joint, bool by_ways);
  template <unsigned bytes, bool is_load>
  bool note_together(const JointAccess& joint, const Reached& reached);
  template <typename AddressesOf>
  void group(const Way& way, AddressesOf addresses_of);
  // Each says whether the access counts.
  bool check_access(const Lane& lane, std::uintptr_t address, const Site& site);
  template <unsigned bytes>
  bool check_access(const Lane& lane, std::uintptr_t address, const Site& site);
  bool check_global(const Lane& lane, std::uintptr_t address, unsigned bytes, const Site& site);
  bool in_static_shared(std::uintptr_t address) const {
    return address - shared_.begin < shared_.end - shared_.begin;
  }
  bool in_dynamic_shared(std::uintptr_t address) const {
    return address - dynamic_begin_ < dynamic_shadow_.covered_bytes();
  }
  bool in_shared_array(std::uintptr_t address, unsigned bytes);
  bool may_write(std::uintptr_t address, unsigned bytes);
  template <unsigned bytes, bool between_blocks>
  void note_words(const Lane& lane, ShadowMemory& shadow, std::size_t offset, std::uint32_t key,
                  std::uintptr_t address, const Site& site);
  bool in_program(std::uintptr_t address);
  std::string describe(AccessKind kind, std::uintptr_t address, unsigned bytes) const;
  RawFinding begin_finding(FindingKind kind, const Lane* lane, const void* place) const;
  RawFinding begin_access_finding(FindingKind kind, const Lane& lane, std::uintptr_t address, unsigned bytes,
                                  const Site& site) const;
  void note_access_fault(FindingKind kind, const Lane& lane, std::uintptr_t address, unsigned bytes,
                         const Site& site);
  void note_race(const Lane& lane, const Conflict& conflict, std::uintptr_t address, unsigned bytes,
                 const Site& site, bool between_blocks);
  Named name_address(std::uintptr_t address, unsigned bytes) const;
  uint3 thread_of(unsigned thread) const;
  uint3 block_of(std::uint32_t block) const;
  void map_shared_arrays(const void* kernel);

  EventLog log_;
  Ways ways_;
  JointAccesses joint_accesses_;

  // What was collected.
  std::vector<Session::Launch> launches_;
  Counters total_, counters_;
  FindingLog findings_;
  RequestLog requests_;
  CodeLog code_;

  // The launch at work.
  const GridLaunch* launch_ = nullptr;
  std::string kernel_;
  std::uint32_t kernel_id_ = 0;  // of equal names
  std::map<std::string, std::uint32_t> kernel_ids_;
  std::uint32_t launch_key_ = 0, block_key_ = 0;
  bool saw_code_ = false;
  AccessOrder order_;
  ShadowMemory global_shadow_, static_shadow_, dynamic_shadow_;

  // Shared memory: the program's arrays, and which of them each word of the thread-local block belongs to (0:
  // none).
  SharedArrays shared_;
  std::vector<std::uint32_t> array_of_word_;
  std::vector<bool> array_allowed_, array_touched_;
  std::uintptr_t dynamic_begin_ = 0;
  std::uintptr_t writable_begin_ = 0, writable_end_ = 0;    // the shared array that was last written to
  std::uintptr_t constants_begin_ = 0, constants_end_ = 0;  // the module that was last read from

  // The block and the warp at work.
  Worker* worker_ = nullptr;
  std::uint32_t block_ = 0;
  unsigned warp_ = 0;
  std::vector<WarpCode> warp_code_;
};

/// The recorder of the Session that lives, told that `launch` begins; nullptr when there is none.
Recorder* begin_recording(const GridLaunch& launch);
void end_recording(Recorder* recorder);

}  // namespace tally::simt
