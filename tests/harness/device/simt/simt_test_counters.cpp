// Counters of small kernels, worked out by hand.
#include <gtest/gtest.h>

#include "harness/device/simt/counters.h"
#include "tests/harness/device/simt/kernels_under_test.h"

namespace {

using tally::simt::Counters;
using tally::simt::DeviceArray;
using tally::simt::launch;
using tally::simt::Session;

class CountersTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!tally::simt::counting_available()) GTEST_SKIP() << "kernels are not instrumented: no clang";
  }
};

template <typename T>
__global__ void strided_copy(T* out, const T* x, int stride, int offset) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride + offset;
  out[i] = x[i];
}

template <typename T>
Counters copy_counters(int stride, int offset) {
  DeviceArray<T> x(std::vector<T>(4096), "x"), out(4096, "out");
  Session session;
  launch("copy", strided_copy<T>, 1, 64, 0, out.get(), x.get(), stride, offset);
  EXPECT_TRUE(session.findings().empty());
  return session.total();
}

TEST_F(CountersTest, count_sectors_of_strided_and_shifted_accesses) {
  const auto check = [](const Counters& c, unsigned sectors, unsigned bytes) {
    EXPECT_EQ(c.global_load_requests, 2u);
    EXPECT_EQ(c.global_store_requests, 2u);
    EXPECT_EQ(c.global_load_sectors, sectors);
    EXPECT_EQ(c.global_store_sectors, sectors);
    EXPECT_EQ(c.global_load_bytes, bytes);
  };
  check(copy_counters<float>(1, 0), 8, 256);
  check(copy_counters<float>(1, 1), 10, 256);
  check(copy_counters<float>(2, 0), 16, 256);
  check(copy_counters<float>(32, 0), 64, 256);
  check(copy_counters<double>(1, 0), 16, 512);
  check(copy_counters<char>(1, 0), 2, 64);
  check(copy_counters<__half>(1, 0), 4, 128);
  check(copy_counters<__half2>(1, 0), 8, 256);
  check(copy_counters<float4>(1, 0), 32, 1024);  // one access of 16 bytes a lane
  check(copy_counters<uint2>(1, 0), 16, 512);
  check(copy_counters<longlong2>(1, 0), 32, 1024);
  check(copy_counters<uchar4>(1, 0), 8, 256);
  check(copy_counters<tally::simt::short4>(1, 0), 16, 512);
}

// A vector that is taken to pieces at once.
template <typename Vector>
struct Pieces {
  __half of[sizeof(Vector) / sizeof(__half)];
};

template <typename Vector>
__device__ Pieces<Vector> pieces_of(const Vector* x, unsigned i) {
  const Vector vector = x[i];
  Pieces<Vector> pieces;
  memcpy(static_cast<void*>(&pieces), &vector, sizeof vector);
  return pieces;
}

template <typename Vector>
__global__ void add_pairs(__half2* out, const Vector* x) {
  const Pieces<Vector> pieces = pieces_of(x, threadIdx.x);
  __half2 sum(0.0f, 0.0f);
  for (unsigned k = 0; k < sizeof(Vector) / sizeof(__half2); ++k) {
    __half2 pair;
    memcpy(static_cast<void*>(&pair), &pieces.of[2 * k], sizeof pair);
    sum += pair;
  }
  out[threadIdx.x] = sum;
}

template <typename Vector>
Counters add_pairs_counters() {
  DeviceArray<Vector> x(std::vector<Vector>(32), "x");
  DeviceArray<__half2> out(32, "out");
  Session session;
  launch("add_pairs", add_pairs<Vector>, 1, 32, 0, out.get(), x.get());
  return session.total();
}

TEST_F(CountersTest, count_a_vector_that_is_taken_to_pieces_as_one_access) {
  EXPECT_EQ(add_pairs_counters<unsigned>().global_load_requests, 1u);
  EXPECT_EQ(add_pairs_counters<__half2>().global_load_requests, 1u);
  EXPECT_EQ(add_pairs_counters<uint2>().global_load_requests, 1u);
  EXPECT_EQ(add_pairs_counters<uint4>().global_load_requests, 1u);
}

__global__ void first_members(float* out, const float4* x) { out[threadIdx.x] = x[threadIdx.x].y; }

TEST_F(CountersTest, count_a_member_of_a_vector_as_that_member_alone) {
  DeviceArray<float4> x(std::vector<float4>(32, make_float4(1, 2, 3, 4)));
  DeviceArray<float> out(32);
  Session session;
  launch("first_members", first_members, 1, 32, 0, out.get(), x.get());
  EXPECT_EQ(out[31], 2.0f);
  EXPECT_EQ(session.total().global_load_bytes, 128u);
  EXPECT_EQ(session.total().global_load_sectors, 16u);
}

// Lanes go through the loop a different number of times: lane l makes l + 1 loads, so the k-th load has 32 -
// k lanes.
__global__ void ragged(float* out, const float* x) {
  float sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; ++i) sum += x[i * 32 + threadIdx.x];
  out[threadIdx.x] = sum;
}

TEST_F(CountersTest, group_the_kth_times_of_a_place) {
  DeviceArray<float> x(std::vector<float>(1024, 1.0f)), out(32);
  Session session;
  launch("ragged", ragged, 1, 32, 0, out.get(), x.get());
  const Counters c = session.total();
  EXPECT_EQ(c.global_load_requests, 32u);
  EXPECT_EQ(c.global_load_bytes, 4u * 32 * 33 / 2);
  unsigned sectors = 0;
  for (unsigned k = 0; k < 32; ++k) sectors += (32 - k + 7) / 8;
  EXPECT_EQ(c.global_load_sectors, sectors);
}

// Far more accesses than a lane's log holds, and lanes of very different speed.
__global__ void long_and_ragged(float* out, const float* x, int n) {
  float sum = 0;
  const int step = threadIdx.x % 2 == 0 ? 1 : 2;
  for (int i = 0; i < n; i += step) {
    sum += x[i];
    if (step == 1) sum += x[0];
  }
  out[threadIdx.x] = sum;
}

TEST_F(CountersTest, group_rightly_across_turns_of_a_lane) {
  constexpr int n = 20000;
  DeviceArray<float> x(std::vector<float>(n, 1.0f)), out(32);
  Session session;
  launch("long_and_ragged", long_and_ragged, 1, 32, 0, out.get(), x.get(), n);
  EXPECT_EQ(out[0], 2.0f * n);
  const Counters c = session.total();
  EXPECT_EQ(c.global_load_bytes, 4u * 16 * (2 * n + n / 2));
  EXPECT_EQ(c.global_load_requests, 2u * n);  // the odd lanes' loads all join the even lanes'
}

__global__ void vector_shared(float* out) {
  __shared__ float4 tile[64];
  tile[threadIdx.x] = make_float4(threadIdx.x, 0, 0, 0);
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x].x + tile[0].y;
}

TEST_F(CountersTest, count_wavefronts_of_wide_shared_accesses) {
  DeviceArray<float> out(64);
  Session session;
  launch("vector_shared", vector_shared, 1, 64, 0, out.get());
  const Counters c = session.total();
  EXPECT_EQ(c.shared_store_requests, 2u);
  EXPECT_EQ(c.shared_store_wavefronts, 8u);
  EXPECT_EQ(c.shared_store_conflicts, 0u);
  EXPECT_EQ(c.shared_load_requests, 4u);
  EXPECT_EQ(c.shared_load_wavefronts, 2u * (4 + 1));
  EXPECT_EQ(c.shared_load_conflicts, 2u * 3);
}

__global__ void atomics(unsigned* global, float* floats) {
  __shared__ unsigned counts[32];
  __shared__ float sums[32];
  if (threadIdx.x < 32) counts[threadIdx.x] = 0, sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[threadIdx.x % 2 * 16], 1u);
  atomicAdd(&sums[0], 1.0f);
  atomicAdd(&global[threadIdx.x], 1u);
  atomicAdd(floats, 1.0f);
}

TEST_F(CountersTest, count_atomics_and_their_conflicts) {
  DeviceArray<unsigned> integers(std::vector<unsigned>(64, 0));
  DeviceArray<float> floats(std::vector<float>(1, 0.0f));
  Session session;
  launch("atomics", atomics, 1, 64, 0, integers.get(), floats.get());
  EXPECT_TRUE(session.findings().empty());
  EXPECT_EQ(floats[0], 64.0f);
  const Counters c = session.total();
  EXPECT_EQ(c.global_atomic_requests, 4u);
  EXPECT_EQ(c.global_atomic_sectors, 2u * (4 + 32));
  EXPECT_EQ(c.global_atomic_conflicts, 2u * 31);
  EXPECT_EQ(c.shared_atomic_requests, 4u);
  EXPECT_EQ(c.shared_atomic_wavefronts, 2u * (1 + 64));
  EXPECT_EQ(c.global_load_requests, 0u);
}

// Half of the lanes add to the first sector, half to the second.
__global__ void add_halves(__half* sums) { atomicAdd(sums + threadIdx.x % 2 * 16, __half(1.0f)); }

TEST_F(CountersTest, count_the_load_with_which_an_atomic_of_a_lone_half_begins) {
  DeviceArray<__half> halves(std::vector<__half>(32, __half(0.0f)));
  Session session;
  launch("add_halves", add_halves, 1, 64, 0, halves.get());
  EXPECT_TRUE(session.findings().empty());
  EXPECT_EQ(float(halves[16]), 32.0f);
  const Counters c = session.total();
  EXPECT_EQ(c.global_atomic_requests, 2u);
  EXPECT_EQ(c.global_load_requests, 2u);
  EXPECT_EQ(c.global_load_sectors, 2u * 2);
  EXPECT_EQ(c.global_load_bytes, 64u * 4);
  EXPECT_EQ(c.global_store_requests, 0u);
}

__global__ void add_to_a_pair(__half2* sums) { atomicAdd(sums, __half2(1.0f, 1.0f)); }

TEST_F(CountersTest, count_no_load_for_an_atomic_of_two_halves) {
  DeviceArray<__half2> pair(std::vector<__half2>(1, __half2(0.0f, 0.0f)));
  Session session;
  launch("add_to_a_pair", add_to_a_pair, 1, 64, 0, pair.get());
  EXPECT_EQ(float(pair[0].y), 64.0f);
  EXPECT_EQ(session.total().global_load_requests, 0u);
}

__constant__ float taps[4] = {1, 2, 3, 4};
__global__ void local_and_constant(float* out) {
  float local[16];
  for (int i = 0; i < 16; ++i) local[(i + threadIdx.x) % 16] = taps[i % 4];
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += local[i];
  out[threadIdx.x] = sum;
}

TEST_F(CountersTest, leave_local_and_constant_memory_out) {
  DeviceArray<float> out(32);
  Session session;
  launch("local_and_constant", local_and_constant, 1, 32, 0, out.get());
  EXPECT_EQ(out[5], 40.0f);
  EXPECT_TRUE(session.findings().empty());
  EXPECT_EQ(session.total().global_load_requests, 0u);
  EXPECT_EQ(session.total().global_store_requests, 1u);
  EXPECT_EQ(session.total().shared_load_requests, 0u);
}

__global__ void uniform_and_not(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i;
}

TEST_F(CountersTest, count_branches_by_warp) {
  DeviceArray<int> out(128);
  const auto count = [&](int n) {
    Session session;
    launch("uniform_and_not", uniform_and_not, 2, 64, 0, out.get(), n);
    return session.total();
  };
  EXPECT_EQ(count(128).divergent_branches, 0u);
  EXPECT_EQ(count(96).branches, 4u);
  EXPECT_EQ(count(96).divergent_branches, 0u);
  EXPECT_EQ(count(97).branches, 4u);
  EXPECT_EQ(count(97).divergent_branches, 1u);
  EXPECT_EQ(count(97).by_name().at("divergent_branch_share"), 0.25);
  EXPECT_EQ(count(128).by_name().at("average_active_lanes"), 32.0);
}

__global__ void block_sums(const float* x, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

TEST_F(CountersTest, add_up_over_launches_and_are_kept_apart) {
  DeviceArray<float> x(std::vector<float>(512, 1.0f)), out(2);
  Session session;
  launch("first", block_sums, 2, 256, 0, x.get(), out.get());
  launch(nullptr, block_sums, 1, 256, 512, x.get(), out.get());
  ASSERT_EQ(session.launches().size(), 2u);
  EXPECT_EQ(session.launches()[0].kernel, "first");
  EXPECT_EQ(session.launches()[1].kernel, "block_sums");
  EXPECT_EQ(session.launches()[0].counters.global_load_requests, 16u);
  EXPECT_EQ(session.launches()[1].counters.global_load_requests, 8u);
  EXPECT_EQ(session.total().launches, 2u);
  EXPECT_EQ(session.total().blocks, 3u);
  EXPECT_EQ(session.total().global_load_requests, 24u);
  EXPECT_EQ(session.total().dynamic_shared_bytes, 512u);
  session.clear();
  EXPECT_EQ(session.total(), Counters{});
  EXPECT_TRUE(session.lines().empty());
}

TEST_F(CountersTest, have_names_that_are_all_different) {
  const auto names = Counters{}.by_name();
  EXPECT_EQ(names.size(), tally::simt::counter_descriptions().size());
  for (const auto& [name, value] : names) EXPECT_EQ(value, 0.0) << name;
}

TEST_F(CountersTest, are_of_one_session_at_a_time) {
  Session session;
  EXPECT_THROW(Session(), std::logic_error);
}

}  // namespace
