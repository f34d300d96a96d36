// Accesses out of bounds, of unwritten memory, and misaligned: planted bugs are found, correct twins stay
// silent.
#include "tests/harness/device/simt/finding_checks.h"

namespace {

using tally::simt::Checks;
using tally::simt::DeviceArray;
using tally::simt::dynamic_shared;
using tally::simt::expect_found;
using tally::simt::Finding;
using tally::simt::FindingKind;
using tally::simt::findings_of;
using tally::simt::launch;
using tally::simt::LaunchError;

__global__ void copy(float* out, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i];
}
constexpr int copy_line = __LINE__ - 2;

TEST_F(Checks, global_accesses_outside_a_buffer_are_found) {
  DeviceArray<float> x(std::vector<float>(100, 1.0f), "input"), out(100, "output");
  EXPECT_CLEAN(launch("copy", copy, 1, 128, 0, out.get(), x.get(), 100));
  const auto found = findings_of([&] { launch("copy", copy, 1, 128, 0, out.get(), x.get(), 101); });
  ASSERT_EQ(found.size(), 2u);
  for (const Finding& finding : found) {
    EXPECT_EQ(finding.kind, FindingKind::out_of_bounds);
    EXPECT_EQ(finding.line, copy_line);
    EXPECT_EQ(finding.thread.x, 100u);
  }
  EXPECT_EQ(found[0].buffer, "input");
  EXPECT_EQ(found[0].address, reinterpret_cast<std::uintptr_t>(x.get() + 100));
  EXPECT_EQ(found[1].buffer, "output");
  EXPECT_NE(found[0].message.find("reads 4 bytes at 400 of buffer 'input' (400 bytes)"), std::string::npos)
      << found[0].message;
  DeviceArray<float> longer(std::vector<float>(101, 1.0f), "longer");
  const auto overrun = findings_of([&] { launch("copy", copy, 1, 128, 0, out.get(), longer.get(), 101); });
  expect_found(overrun, FindingKind::out_of_bounds, copy_line);
  EXPECT_FALSE(tally::simt::guards_intact(out.get()));
  EXPECT_TRUE(tally::simt::guards_intact(longer.get()));
}

TEST_F(Checks, a_released_buffer_is_out_of_bounds) {
  DeviceArray<float> out(32, "output");
  const float* gone = DeviceArray<float>(std::vector<float>(32, 1.0f), "gone").get();
  expect_found(findings_of([&] { launch("copy", copy, 1, 32, 0, out.get(), gone, 32); }),
               FindingKind::out_of_bounds, copy_line);
}

TEST_F(Checks, host_memory_is_out_of_bounds) {
  DeviceArray<float> out(32, "output");
  const std::vector<float> host(32, 1.0f);
  const auto found = findings_of([&] { launch("copy", copy, 1, 32, 0, out.get(), host.data(), 32); });
  expect_found(found, FindingKind::out_of_bounds, copy_line);
  EXPECT_NE(found.front().message.find("memory that is not the device's"), std::string::npos);
}

TEST_F(Checks, a_wild_pointer_ends_the_launch_and_is_found) {
  DeviceArray<float> out(32, "output");
  const auto found =
      findings_of([&] { launch("copy", copy, 1, 32, 0, out.get(), static_cast<float*>(nullptr), 32); });
  ASSERT_FALSE(found.empty());
  for (const Finding& finding : found) EXPECT_EQ(finding.kind, FindingKind::out_of_bounds) << finding.message;
  EXPECT_EQ(found.front().line, copy_line);
}

__global__ void fill_static_shared(int* out, int n) {
  __shared__ int tile[64];
  if (static_cast<int>(threadIdx.x) < n) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = tile[threadIdx.x];
}
constexpr int fill_static_line = __LINE__ - 4;

TEST_F(Checks, static_shared_arrays_end_where_they_end) {
  DeviceArray<int> out(64, "out");
  EXPECT_CLEAN(launch("k", fill_static_shared, 1, 1024, 0, out.get(), 64));
  expect_found(findings_of([&] { launch("k", fill_static_shared, 1, 1024, 0, out.get(), 1024); }),
               FindingKind::out_of_bounds, fill_static_line);
}

__global__ void fill_dynamic_shared(int* out) {
  int* const tile = dynamic_shared<int>();
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x ^ 1];
}
constexpr int fill_dynamic_line = __LINE__ - 4;

TEST_F(Checks, an_overrun_without_a_session_leaves_the_executor_whole) {
  DeviceArray<int> out(64, "out");
  for (int round = 0; round < 3; ++round) {
    try {
      launch("k", fill_static_shared, 4, 1024, 0, out.get(), 1024);
    } catch (const LaunchError& error) {  // where the array is the last of the program
      EXPECT_NE(std::string(error.what()).find("out of bounds"), std::string::npos) << error.what();
    }
    launch("k", fill_dynamic_shared, 1, 64, 4, out.get());
  }
  EXPECT_CLEAN(launch("k", fill_static_shared, 1, 64, 0, out.get(), 64));
}

TEST_F(Checks, dynamic_shared_memory_ends_where_it_ends) {
  DeviceArray<int> out(128, "out");
  EXPECT_CLEAN(launch("k", fill_dynamic_shared, 2, 64, 256, out.get()));
  const auto found = findings_of([&] { launch("k", fill_dynamic_shared, 2, 64, 252, out.get()); });
  expect_found(found, FindingKind::out_of_bounds, fill_dynamic_line);
  EXPECT_EQ(found.front().thread.x, 63u);
  EXPECT_EQ(found.front().buffer, "dynamic");
}

// ---- Reads of what nothing wrote.

TEST_F(Checks, reads_of_unwritten_global_memory_are_found) {
  DeviceArray<float> x(64, "never written"), out(64, "output");
  const auto found = findings_of([&] { launch("copy", copy, 1, 64, 0, out.get(), x.get(), 64); });
  expect_found(found, FindingKind::uninitialised_read, copy_line);
  EXPECT_EQ(found.front().buffer, "never written");
  EXPECT_EQ(found.front().count, 64u);
  // What one launch wrote, with a session or without, another may read.
  launch("copy", copy, 1, 64, 0, x.get(), out.get(), 64);
  EXPECT_CLEAN(launch("copy", copy, 1, 64, 0, out.get(), x.get(), 64));
  tally::simt::poison(x.get(), 256);
  EXPECT_FALSE(findings_of([&] { launch("copy", copy, 1, 64, 0, out.get(), x.get(), 64); }).empty());
}

TEST_F(Checks, what_an_earlier_launch_left_out_is_still_unwritten) {
  DeviceArray<float> x(std::vector<float>(64, 1.0f), "x");
  DeviceArray<float> between(64, "between"), out(64, "out");
  const auto found = findings_of([&] {
    launch("copy", copy, 1, 64, 0, between.get(), x.get(), 63);
    launch("copy", copy, 1, 64, 0, out.get(), between.get(), 64);
  });
  expect_found(found, FindingKind::uninitialised_read, copy_line);
  EXPECT_EQ(found.front().buffer, "between");
  EXPECT_EQ(found.front().count, 1u);
  EXPECT_EQ(found.front().thread.x, 63u);
}

__global__ void partly_written_shared(int* out, unsigned n) {
  __shared__ int tile[64];
  if (threadIdx.x < n) tile[threadIdx.x] = 1;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[threadIdx.x];
}
constexpr int partly_written_line = __LINE__ - 2;

TEST_F(Checks, shared_memory_begins_unwritten_in_every_block) {
  DeviceArray<int> out(192, "out");
  EXPECT_CLEAN(launch("k", partly_written_shared, 3, 64, 0, out.get(), 64));
  const auto found = findings_of([&] {
    launch("k", partly_written_shared, 1, 64, 0, out.get(), 64);
    launch("k", partly_written_shared, 1, 64, 0, out.get(), 63);
  });
  expect_found(found, FindingKind::uninitialised_read, partly_written_line);
  EXPECT_EQ(found.front().thread.x, 63u);
}

// ---- Misaligned accesses.

__global__ void copy_vectors(float4* out, const float* x) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(x)[threadIdx.x];
}
constexpr int copy_vectors_line = __LINE__ - 2;

TEST_F(Checks, vector_accesses_must_be_aligned) {
  DeviceArray<float> x(std::vector<float>(132, 1.0f), "x");
  DeviceArray<float4> out(32, "out");
  EXPECT_CLEAN(launch("copy_vectors", copy_vectors, 1, 32, 0, out.get(), x.get()));
  EXPECT_CLEAN(launch("copy_vectors", copy_vectors, 1, 32, 0, out.get(), x.get() + 4));
  const auto found =
      findings_of([&] { launch("copy_vectors", copy_vectors, 1, 32, 0, out.get(), x.get() + 1); });
  expect_found(found, FindingKind::misaligned_access, copy_vectors_line);
  EXPECT_EQ(found.front().buffer, "x");
  // Without a session the launch ends with the same reason.
  EXPECT_THROW(launch("copy_vectors", copy_vectors, 1, 32, 0, out.get(), x.get() + 1), LaunchError);
}

}  // namespace
