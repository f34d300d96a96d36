// Races in shared memory: each planted one is found with its line, each correct twin stays silent.
#include "tests/harness/device/simt/finding_checks.h"

namespace {

using tally::simt::all_messages;
using tally::simt::Checks;
using tally::simt::DeviceArray;
using tally::simt::dynamic_shared;
using tally::simt::expect_found;
using tally::simt::Finding;
using tally::simt::FindingKind;
using tally::simt::findings_of;
using tally::simt::launch;

template <bool with_barrier>
__global__ void rotate(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  if (with_barrier) __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 32) % 64];
}

TEST_F(Checks, a_missing_barrier_is_a_race) {
  DeviceArray<int> out(64, "out");
  const auto found = findings_of([&] { launch("rotate", rotate<false>, 1, 64, 0, out.get()); });
  // The first warp reads what the second has not written yet, too: that is a finding of its own.
  bool race = false;
  for (const Finding& finding : found) {
    if (finding.kind == FindingKind::uninitialised_read) continue;
    EXPECT_EQ(finding.kind, FindingKind::shared_race);
    EXPECT_EQ(finding.buffer, "tile");
    EXPECT_NE(finding.address, 0u);
    race = true;
  }
  EXPECT_TRUE(race);
  EXPECT_CLEAN(launch("rotate", rotate<true>, 1, 64, 0, out.get()));
}

template <bool with_second_barrier>
__global__ void write_after_read(int* out) {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int other = tile[63 - threadIdx.x];
  if (with_second_barrier) __syncthreads();
  tile[threadIdx.x] = other;
  out[threadIdx.x] = other;
}
constexpr int write_after_read_line = __LINE__ - 3;

TEST_F(Checks, a_write_after_a_read_is_a_race) {
  DeviceArray<int> out(64, "out");
  const auto found = findings_of([&] { launch("k", write_after_read<false>, 1, 64, 0, out.get()); });
  bool at_line = false;
  for (const Finding& finding : found) at_line |= finding.line == write_after_read_line;
  EXPECT_TRUE(at_line) << all_messages(found);
  EXPECT_EQ(found.front().kind, FindingKind::shared_race);
  EXPECT_CLEAN(launch("k", write_after_read<true>, 1, 64, 0, out.get()));
}

__global__ void all_write_one(int* out) {
  __shared__ int one;
  one = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = one;
}
constexpr int all_write_one_line = __LINE__ - 4;

TEST_F(Checks, two_writes_of_one_word_are_a_race) {
  DeviceArray<int> out(64, "out");
  expect_found(findings_of([&] { launch("k", all_write_one, 1, 64, 0, out.get()); }),
               FindingKind::shared_race, all_write_one_line);
}

__global__ void neighbouring_bytes(char* out) {
  __shared__ char tile[128];
  tile[threadIdx.x] = static_cast<char>(threadIdx.x);
  tile[64 + threadIdx.x] = tile[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[127 - threadIdx.x];
}

TEST_F(Checks, neighbouring_bytes_of_a_word_are_no_race) {
  DeviceArray<char> out(64, "out");
  EXPECT_CLEAN(launch("k", neighbouring_bytes, 1, 64, 0, out.get()));
}

// The last steps of a tree without a barrier, trusting that a warp runs in step, as harris/v4 was published.
__device__ void finish_in_step(volatile float* cells, unsigned lane) {
  for (unsigned gap = 32; gap > 0; gap /= 2) {
    cells[lane] = cells[lane] + cells[lane + gap];
  }
}
constexpr int in_step_line = __LINE__ - 3;

__device__ void finish_in_order(volatile float* cells, unsigned lane) {
  for (unsigned gap = 32; gap > 0; gap /= 2) {
    const float sum = cells[lane] + cells[lane + gap];
    __syncwarp();
    cells[lane] = sum;
    __syncwarp();
  }
}

template <bool in_order>
__global__ void tree_with_a_tail(const float* x, float* sums) {
  __shared__ float cells[128];
  const unsigned thread = threadIdx.x;
  cells[thread] = x[blockIdx.x * 128 + thread];
  __syncthreads();
  if (thread < 64) cells[thread] += cells[thread + 64];
  __syncthreads();
  if (thread < 32) {
    if constexpr (in_order) {
      finish_in_order(cells, thread);
    } else {
      finish_in_step(cells, thread);
    }
  }
  if (thread == 0) sums[blockIdx.x] = cells[0];
}

TEST_F(Checks, the_published_volatile_tail_is_a_race_in_its_own_line) {
  DeviceArray<float> x(std::vector<float>(512, 1.0f), "x"), out(4, "out");
  const auto found =
      findings_of([&] { launch(nullptr, tree_with_a_tail<false>, 4, 128, 0, x.get(), out.get()); });
  ASSERT_FALSE(found.empty());
  for (const Finding& finding : found) {
    EXPECT_EQ(finding.kind, FindingKind::shared_race) << finding.message;
    EXPECT_EQ(finding.kernel, "tree_with_a_tail<false>");
    EXPECT_EQ(finding.buffer, "cells");
    EXPECT_EQ(finding.line, in_step_line) << finding.message;
  }
  EXPECT_CLEAN(launch(nullptr, tree_with_a_tail<true>, 4, 128, 0, x.get(), out.get()));
  EXPECT_EQ(out[3], 128.0f);
}

// Fewer lanes at work in every step, and after each the warp's barrier, as korean_course/reduce4 ends.
__global__ void narrowing_tail(float* out, const float* x) {
  float* const cells = dynamic_shared<float>();
  const unsigned thread = threadIdx.x;
  cells[thread] = x[thread];
  __syncthreads();
  if (thread < 32) cells[thread] += cells[thread + 32];
  __syncthreads();
  for (unsigned half = 16; half > 0; half /= 2) {
    if (thread < half) cells[thread] += cells[thread + half];
    __syncwarp();
  }
  if (thread == 0) out[0] = cells[0];
}

TEST_F(Checks, syncwarp_orders_a_warp) {
  DeviceArray<float> x(std::vector<float>(64, 1.0f)), out(1);
  EXPECT_CLEAN(launch("narrowing_tail", narrowing_tail, 1, 64, 256, out.get(), x.get()));
  EXPECT_EQ(out[0], 64.0f);
}

template <bool same_half>
__global__ void half_warps(int* out) {
  __shared__ int tile[32];
  const unsigned t = threadIdx.x, mask = t < 16 ? 0x0000ffffu : 0xffff0000u;
  tile[t] = t;
  const int lane_0 = __shfl_sync(mask, static_cast<int>(t), 0, 16);
  out[t] = lane_0 + (same_half ? tile[t ^ 15] : tile[31 - t]);
}
constexpr int half_warps_line = __LINE__ - 2;

TEST_F(Checks, a_shuffle_orders_the_lanes_of_its_mask_only) {
  DeviceArray<int> out(32);
  EXPECT_CLEAN(launch("k", half_warps<true>, 1, 32, 0, out.get()));
  const auto found = findings_of([&] { launch("k", half_warps<false>, 1, 32, 0, out.get()); });
  bool race = false;
  for (const Finding& finding : found) {
    race |= finding.kind == FindingKind::shared_race && finding.line == half_warps_line;
  }
  EXPECT_TRUE(race) << all_messages(found);
}

template <bool with_barrier>
__global__ void shared_counter(int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);
  if (with_barrier) __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}
constexpr int shared_counter_line = __LINE__ - 4;  // the atomics of the threads that come after the read

TEST_F(Checks, a_plain_read_beside_atomics_is_a_race) {
  DeviceArray<int> out(1);
  EXPECT_CLEAN(launch("k", shared_counter<true>, 1, 64, 0, out.get()));
  expect_found(findings_of([&] { launch("k", shared_counter<false>, 1, 64, 0, out.get()); }),
               FindingKind::shared_race, shared_counter_line);
}

}  // namespace
