// Where the compiler's instrumentation of kernels calls: every load, store and block of code.
// (clang's SanitizerCoverage:
// -fsanitize-coverage=bb,no-prune,pc-table,trace-pc-guard,trace-loads,trace-stores)
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/device/simt/block.h"
#include "harness/device/simt/counters.h"
#include "harness/device/simt/memory.h"
#include "harness/device/simt/recorder.h"

namespace tally::simt {
namespace {

std::uint32_t guards_given = 0;

/// Where each block of code begins, by guard; empty without a table of them. Made before main() runs.
std::vector<std::uintptr_t>& block_starts() {
  static auto* starts = new std::vector<std::uintptr_t>(1);
  return *starts;
}

/// An access that must not be made.
[[noreturn]] __attribute__((noinline)) void refuse(Worker& worker, AccessKind kind, std::uintptr_t address,
                                                   unsigned bytes, const void* place) {
  Recorder* const recorder = worker.recorder();
  const FindingKind fault =
      address % bytes != 0 ? FindingKind::misaligned_access : FindingKind::out_of_bounds;
  const std::string what = recorder == nullptr ? "an access of " + std::to_string(bytes) + " bytes"
                                               : recorder->refused(kind, address, bytes);
  worker.fail(fault, std::string(name_of(fault)) + ": " + what, place, recorder != nullptr);
}

template <unsigned bytes>
inline void access(const void* pointer, AccessKind kind, const void* place) {
  const Here& at = here();
  Lane* const lane = at.lane;
  if (lane == nullptr) return;  // the host's own
  if (at.local_memory.contains(pointer)) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  lane->stored |= kind == AccessKind::store;
  lane->lowest = std::min(lane->lowest, address);
  lane->highest = std::max(lane->highest, address);
  bool allowed = address % bytes == 0;
  if (Recorder* const recorder = at.recorder) {
    allowed = recorder->access<bytes>(address, kind, place);
  } else if (kind == AccessKind::store) {
    allowed = allowed && !at.worker->behind_static_shared(address);
    mark_stored(address, bytes);
  }
  if (!allowed) [[unlikely]]
    refuse(*at.worker, kind, address, bytes, place);
  at.worker->tick(*lane, 1, place);
}

}  // namespace

bool counting_available() { return guards_given > 0; }

const void* branch_place(std::uint32_t guard) {
  // The next block in memory begins where this one's branch ends.
  static const std::vector<std::uintptr_t> sorted = [] {
    std::vector<std::uintptr_t> starts = block_starts();
    std::sort(starts.begin(), starts.end());
    return starts;
  }();
  if (guard >= block_starts().size()) return nullptr;
  const auto next = std::upper_bound(sorted.begin(), sorted.end(), block_starts()[guard]);
  return next == sorted.end() ? nullptr : reinterpret_cast<const void*>(*next);
}

}  // namespace tally::simt

#define TALLY_HOOKS(bytes)                                                                            \
  extern "C" void __sanitizer_cov_load##bytes(void* address) {                                        \
    tally::simt::access<bytes>(address, tally::simt::AccessKind::load, __builtin_return_address(0));  \
  }                                                                                                   \
  extern "C" void __sanitizer_cov_store##bytes(void* address) {                                       \
    tally::simt::access<bytes>(address, tally::simt::AccessKind::store, __builtin_return_address(0)); \
  }
TALLY_HOOKS(1)
TALLY_HOOKS(2)
TALLY_HOOKS(4)
TALLY_HOOKS(8)
TALLY_HOOKS(16)

extern "C" void __sanitizer_cov_trace_pc_guard(std::uint32_t* guard) {
  const tally::simt::Here& at = tally::simt::here();
  if (at.lane == nullptr || at.recorder == nullptr) return;
  at.recorder->enter_code(*guard);
  if (at.recorder->lane_is_full()) [[unlikely]]
    at.worker->give_way(tally::simt::LaneState::log_full, __builtin_return_address(0));
}

/// Numbers the blocks of code of one object file, or of one program or library.
extern "C" void __sanitizer_cov_trace_pc_guard_init(std::uint32_t* start, std::uint32_t* stop) {
  if (start == stop || *start != 0) return;
  for (std::uint32_t* guard = start; guard < stop; ++guard) *guard = ++tally::simt::guards_given;
}

/// Two words a block, in the order of the guards just numbered: where it begins, and flags.
extern "C" void __sanitizer_cov_pcs_init(const std::uintptr_t* start, const std::uintptr_t* stop) {
  auto& starts = tally::simt::block_starts();
  if (starts.size() > tally::simt::guards_given) return;
  for (; start < stop; start += 2) starts.push_back(start[0]);
}
