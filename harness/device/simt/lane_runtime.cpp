#include "harness/device/simt/lane_runtime.h"

#include <chrono>
#include <string>

#include "harness/device/simt/block.h"
#include "harness/device/simt/recorder.h"

namespace tally::simt {

uint3 thread_index() { return here().worker->thread_index(here().lane->thread); }
uint3 block_index() { return here().worker->block(); }
dim3 block_extent() { return here().worker->launch().block; }
dim3 grid_extent() { return here().worker->launch().grid; }
void* dynamic_shared_memory() { return here().worker->dynamic_shared(); }
unsigned lane_index() { return here().lane->lane; }

int block_barrier(BarrierResult result, int predicate) {
  return here().worker->wait_at_barrier(result, predicate, __builtin_return_address(0));
}

std::uint64_t warp_meet(WarpOperation operation, unsigned mask, std::uint64_t value, unsigned source) {
  return here().worker->meet(operation, mask, value, source, __builtin_return_address(0));
}

unsigned active_mask() { return here().worker->meet_active(__builtin_return_address(0)); }

void fence(bool whole_grid) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (Recorder* recorder = here().worker->recorder(); recorder != nullptr && whole_grid) recorder->fence();
  here().worker->tick(*here().lane, 64, __builtin_return_address(0));
}

void pause() {
  if (!counting_available()) here().lane->changed = true;  // stores are not seen: there may have been some
  here().worker->give_way(LaneState::pausing, __builtin_return_address(0));
}

void trap() { here().worker->fail(FindingKind::fault, "__trap()", __builtin_return_address(0)); }

void assertion_failed(const char* condition, const char* file, unsigned line) {
  here().worker->fail(FindingKind::fault,
                      std::string(file) + ":" + std::to_string(line) + ": assertion failed: " + condition,
                      nullptr);
}

std::int64_t clock_now() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace tally::simt
