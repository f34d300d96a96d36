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

// The last warp's steps of Harris's fourth stage as published: volatile, no __syncwarp.
__device__ void warp_reduce_as_published(volatile float* cache, unsigned tid) {
  cache[tid] = cache[tid] + cache[tid + 32];
  cache[tid] = cache[tid] + cache[tid + 16];
  cache[tid] = cache[tid] + cache[tid + 8];
  cache[tid] = cache[tid] + cache[tid + 4];
  cache[tid] = cache[tid] + cache[tid + 2];
  cache[tid] = cache[tid] + cache[tid + 1];
}
constexpr int published_first_line = __LINE__ - 7;

__device__ void warp_reduce_repaired(volatile float* cache, unsigned tid) {
  for (unsigned s = 32; s > 0; s /= 2) {
    const float sum = cache[tid] + cache[tid + s];
    __syncwarp();
    cache[tid] = sum;
    __syncwarp();
  }
}

template <bool repaired>
__global__ void harris_v4(const float* x, float* out) {
  __shared__ float sdata[256];
  const unsigned tid = threadIdx.x, i = blockIdx.x * 512 + tid;
  sdata[tid] = x[i] + x[i + 256];
  __syncthreads();
  for (unsigned s = 128; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) {
    if constexpr (repaired) {
      warp_reduce_repaired(sdata, tid);
    } else {
      warp_reduce_as_published(sdata, tid);
    }
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

TEST_F(Checks, the_published_volatile_tail_is_a_race_in_its_own_lines) {
  DeviceArray<float> x(std::vector<float>(2048, 1.0f), "x"), out(4, "out");
  const auto found = findings_of([&] { launch(nullptr, harris_v4<false>, 4, 256, 0, x.get(), out.get()); });
  ASSERT_FALSE(found.empty());
  for (const Finding& finding : found) {
    EXPECT_EQ(finding.kind, FindingKind::shared_race) << finding.message;
    EXPECT_EQ(finding.kernel, "harris_v4<false>");
    EXPECT_EQ(finding.buffer, "sdata");
    EXPECT_GE(finding.line, published_first_line) << finding.message;
    EXPECT_LE(finding.line, published_first_line + 5) << finding.message;
  }
  EXPECT_CLEAN(launch(nullptr, harris_v4<true>, 4, 256, 0, x.get(), out.get()));
  EXPECT_EQ(out[3], 512.0f);
}

// reduce4 of the Korean course: lanes of the last warp leave one after the other, __syncwarp between.
__global__ void korean_tail(float* out, const float* x) {
  float* const tsum = dynamic_shared<float>();
  const int id = threadIdx.x;
  tsum[id] = x[id];
  __syncthreads();
  if (id < 32) tsum[id] += tsum[id + 32];
  __syncthreads();
  if (id < 16) tsum[id] += tsum[id + 16];
  __syncwarp();
  if (id < 8) tsum[id] += tsum[id + 8];
  __syncwarp();
  if (id < 4) tsum[id] += tsum[id + 4];
  __syncwarp();
  if (id < 2) tsum[id] += tsum[id + 2];
  __syncwarp();
  if (id == 0) out[0] = tsum[0] + tsum[1];
}

TEST_F(Checks, syncwarp_orders_a_warp) {
  DeviceArray<float> x(std::vector<float>(64, 1.0f)), out(1);
  EXPECT_CLEAN(launch("korean_tail", korean_tail, 1, 64, 256, out.get(), x.get()));
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
