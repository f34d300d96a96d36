// Barriers, warp functions and waits that cannot end well are found; correct twins stay silent.
#include "tests/harness/device/simt/finding_checks.h"

namespace {

using tally::simt::Checks;
using tally::simt::DeviceArray;
using tally::simt::expect_found;
using tally::simt::FindingKind;
using tally::simt::findings_of;
using tally::simt::launch;

template <bool divergent>
__global__ void barrier_in_branch(int* out) {
  if (threadIdx.x < 32 || !divergent) __syncthreads();
  out[threadIdx.x] = 1;
}
constexpr int barrier_in_branch_line = __LINE__ - 3;

TEST_F(Checks, a_barrier_that_some_threads_miss_is_found) {
  DeviceArray<int> out(64, "out");
  EXPECT_CLEAN(launch("k", barrier_in_branch<false>, 1, 64, 0, out.get()));
  expect_found(findings_of([&] { launch("k", barrier_in_branch<true>, 1, 64, 0, out.get()); }),
               FindingKind::divergent_barrier, barrier_in_branch_line);
}

template <bool guarded>
__global__ void sum_of_active(int* out, int n) {
  int value = threadIdx.x;
  if (static_cast<int>(threadIdx.x) >= n) return;
  const unsigned mask = guarded ? __activemask() : 0xffffffffu;
  for (int delta = 16; delta > 0; delta /= 2) {
    const int other = __shfl_down_sync(mask, value, delta);
    if (static_cast<int>(threadIdx.x) + delta < n || !guarded) value += other;
  }
  if (threadIdx.x == 0) out[0] = value;
}
constexpr int sum_of_active_line = __LINE__ - 5;

TEST_F(Checks, a_shuffle_from_a_lane_that_has_ended_is_found) {
  DeviceArray<int> out(1, "out");
  EXPECT_CLEAN(launch("k", sum_of_active<false>, 1, 32, 0, out.get(), 32));
  EXPECT_EQ(out[0], 496);
  expect_found(findings_of([&] { launch("k", sum_of_active<false>, 1, 32, 0, out.get(), 20); }),
               FindingKind::inactive_lane, sum_of_active_line);
}

__global__ void shuffle_in_branch(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1, 1);
  __syncthreads();
}
constexpr int shuffle_in_branch_line = __LINE__ - 3;
__global__ void shuffle_in_branch_by_mask(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, 1, 1);
  __syncthreads();
}

TEST_F(Checks, a_full_mask_in_half_a_warp_is_found) {
  DeviceArray<int> out(32, "out");
  EXPECT_CLEAN(launch("k", shuffle_in_branch_by_mask, 1, 32, 0, out.get()));
  expect_found(findings_of([&] { launch("k", shuffle_in_branch, 1, 32, 0, out.get()); }),
               FindingKind::inactive_lane, shuffle_in_branch_line);
}

__global__ void wait_for_flag(int* flag, bool set) {
  if (threadIdx.x == 0 && set) atomicExch(flag, 1);
  while (*static_cast<volatile int*>(flag) == 0) {
  }
}
constexpr int wait_for_flag_line = __LINE__ - 3;

TEST_F(Checks, a_wait_for_nobody_is_a_deadlock) {
  DeviceArray<int> flag(std::vector<int>{0}, "flag");
  const auto found = findings_of([&] { launch("k", wait_for_flag, 1, 64, 0, flag.get(), false); });
  expect_found(found, FindingKind::deadlock, wait_for_flag_line);
}

}  // namespace
