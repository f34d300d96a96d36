#include "harness/device/simt/recorder.h"

#include <algorithm>
#include <bit>

#include "harness/device/simt/symbolizer.h"

namespace tally::simt {
namespace {

constexpr std::size_t most_launches = 65536;

}  // namespace

Recorder::Recorder() : warp_code_(LaunchLimits::threads / 32) {}

void Recorder::clear() {
  launches_.clear();
  total_ = {};
  findings_.clear();
  requests_.clear_costs();
  code_.clear_costs();
}

void Recorder::begin_launch(const GridLaunch& launch) {
  launch_ = &launch;
  kernel_ = kernel_name(launch);
  kernel_id_ = kernel_ids_.try_emplace(kernel_, static_cast<std::uint32_t>(kernel_ids_.size())).first->second;
  log_.clear();
  requests_.forget_open();
  code_.forget_open();
  counters_ = {};
  counters_.launches = 1;
  counters_.blocks = launch.grid.count();
  counters_.threads = launch.grid.count() * launch.block.count();
  counters_.dynamic_shared_bytes = launch.shared_bytes;
  ++launch_key_;
  saw_code_ = false;
  order_.begin_launch();
  if (const DeviceArena& arena = device_arena(); global_shadow_.covered_bytes() != arena.bytes) {
    global_shadow_.reset(arena.bytes);
  }
  map_shared_arrays(launch.kernel);
  writable_begin_ = writable_end_ = 0;
  const std::size_t dynamic = launch.shared_bytes + DynamicShared::pad_bytes;
  if (dynamic_shadow_.covered_bytes() < dynamic) dynamic_shadow_.reset(dynamic);
}

/// The worker is this thread, so its thread-local block is where the kernel's arrays are.
void Recorder::map_shared_arrays(const void* kernel) {
  const SharedArrays found = shared_arrays_of(kernel);
  if (found.arrays != shared_.arrays || found.begin != shared_.begin) {
    shared_ = found;
    array_of_word_.assign((found.end - found.begin) / 4 + 1, 0);
    static_shadow_.reset(found.end - found.begin);
    for (std::size_t i = 0; found.arrays != nullptr && i < found.arrays->size(); ++i) {
      const SharedArray& array = (*found.arrays)[i];
      for (std::size_t word = array.offset / 4; word < (array.offset + array.bytes + 3) / 4; ++word) {
        array_of_word_[word] = static_cast<std::uint32_t>(i + 1);
      }
    }
  }
  // An array declared by another kernel is as far out of bounds as none.
  const std::size_t count = shared_.arrays == nullptr ? 0 : shared_.arrays->size();
  array_allowed_.assign(count + 1, true);
  array_allowed_[0] = count == 0;
  array_touched_.assign(count + 1, false);
  const std::string own = function_name(kernel);
  for (std::size_t i = 0; i < count; ++i) {
    const SharedArray& array = (*shared_.arrays)[i];
    array_allowed_[i + 1] = !array.in_kernel || own.empty() || array.function == own;
  }
}

void Recorder::end_launch() {
  code_.end_launch(counters_);
  for (std::size_t i = 1; i < array_touched_.size(); ++i) {
    if (array_touched_[i]) counters_.static_shared_bytes += (*shared_.arrays)[i - 1].bytes;
  }
  // Of a kernel that was not instrumented nothing is known, so whatever it may have written counts as
  // written.
  if (!saw_code_) mark_everything_initialised();
  total_ += counters_;
  if (launches_.size() < most_launches) launches_.push_back({kernel_, counters_});
  launch_ = nullptr;
  worker_ = nullptr;
}

void Recorder::begin_block(Worker& worker) {
  worker_ = &worker;
  const uint3 block = worker.block();
  const dim3 grid = launch_->grid;
  block_ = static_cast<std::uint32_t>((std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x);
  ++block_key_;
  dynamic_begin_ = reinterpret_cast<std::uintptr_t>(worker.dynamic_shared());
  order_.begin_block(block_, worker.warp_count());
  for (unsigned w = 0; w < worker.warp_count(); ++w) warp_code_[w].clear();
}

void Recorder::end_block() {
  for (unsigned w = 0; w < worker_->warp_count(); ++w) code_.end_warp(warp_code_[w]);
}

void Recorder::leave_warp(const Warp& warp) { take_in(warp, 0); }

/// Lanes that only gave way go on later; what they may still join is kept.
void Recorder::warp_stopped(const Warp& warp) {
  if (warp.log_full != 0) take_in(warp, warp.log_full);
}

void Recorder::warp_met(const Warp& warp, const WarpMeeting& meeting) {
  ++counters_.warp_functions;
  const bool all_met = (warp.live & ~meeting.arrived) == 0;
  take_in(warp, all_met ? 0 : warp.live);
  order_.meeting(warp_, meeting.arrived, warp.live);
  if (meeting.operation != WarpOperation::shuffle) return;
  for (std::uint32_t rest = meeting.arrived; rest != 0; rest &= rest - 1) {
    const unsigned thread = warp.first_thread + static_cast<unsigned>(std::countr_zero(rest));
    const unsigned source = worker_->exchange(thread).source;
    if (source < 32 && ((meeting.arrived >> source) & 1) != 0) [[likely]]
      continue;
    const Lane& lane = worker_->lane(thread);
    note(FindingKind::inactive_lane, &lane, lane.place,
         "shuffles from lane " + std::to_string(source) + ", which takes no part: its value is undefined");
  }
}

/// The log is full, though no lane has come far: nothing can be counted yet.
void Recorder::take_in_all() { take_in(worker_->warp(warp_), worker_->warp(warp_).live); }

void Recorder::barrier_passed() {
  ++counters_.barriers;
  order_.barrier();
}

std::vector<LineCounters> Recorder::lines() const {
  std::vector<const void*> places;
  for (const auto& site : requests_.sites()) places.push_back(site->place);
  const std::size_t of_code = places.size();
  for (const auto& block : code_.blocks()) {
    if (block != nullptr && block->branches > 0) places.push_back(branch_place(block->guard));
  }
  const std::vector<SourceLine> found = source_lines(places);
  std::map<SourceLine, LineCounters> lines;
  for (std::size_t i = 0; i < of_code; ++i) {
    const Site& site = *requests_.sites()[i];
    if (site.global_requests + site.shared_requests == 0) continue;
    LineCounters& line = lines[found[i]];
    line.global_requests += site.global_requests;
    line.sectors += site.sectors;
    line.shared_requests += site.shared_requests;
    line.wavefronts += site.wavefronts;
    line.bank_conflicts += site.bank_conflicts;
  }
  std::size_t next = of_code;
  for (const auto& block : code_.blocks()) {
    if (block == nullptr || block->branches == 0) continue;
    LineCounters& line = lines[found[next++]];
    line.branches += block->branches;
    line.divergent_branches += block->divergent_branches;
  }
  std::vector<LineCounters> result;
  for (auto& [where, line] : lines) {
    line.file = where.file;
    line.line = where.line;
    result.push_back(line);
  }
  return result;
}

}  // namespace tally::simt
