// Launches that cannot be done or that fail end in one clear error, and the executor goes on.
#undef NDEBUG  // assertions of kernels are tested in every build
#include <gtest/gtest.h>

#include <stdexcept>

#include "harness/device/simt/counters.h"
#include "tests/harness/device/simt/kernels_under_test.h"

namespace {

using tally::simt::DeviceArray;
using tally::simt::launch;
using tally::simt::LaunchError;

std::string error_of(auto&& call) {
  try {
    call();
  } catch (const LaunchError& error) {
    return error.what();
  }
  return "no error";
}

__global__ void empty() {}
__global__ void divergent_barrier(int* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __syncthreads_count(1);
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();
  }
}
__global__ void barrier_after_exit() {
  if (threadIdx.x == 3) return;
  __syncthreads();
}
__global__ void shuffle_without_the_others(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1, 1);
  __syncthreads();
}
__global__ void shuffle_outside_mask(int* out) { out[threadIdx.x] = __shfl_sync(0xffffu, 1, 0); }
__global__ void wait_for_ever(int* flag) {
  while (*static_cast<volatile int*>(flag) == 0) {
  }
}
__global__ void lock_for_ever(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
}
__global__ void write_nowhere(int* out) {
  if (threadIdx.x == 5) out = nullptr;
  *static_cast<volatile int*>(out) = 1;
}
__global__ void divide(int* out, int by) { out[threadIdx.x] = 100 / by; }
__global__ void fails_assertion(int x) { assert(x == 4); }
__global__ void throws() { throw std::runtime_error("from a kernel"); }

template <int N>
__global__ void with_static_shared(int* out) {
  __shared__ int array[N];
  array[*out] = 1;
  __syncthreads();
  *out = array[*out + 1];
}

TEST(ExecutorErrors, shared_memory_is_limited_in_all_and_in_its_static_part) {
  DeviceArray<int> out(std::vector<int>{0});
  const auto error = [&](auto kernel, std::size_t dynamic) {
    return error_of([&] { launch("k", kernel, 1, 1, dynamic, out.get()); });
  };
  EXPECT_EQ(error(with_static_shared<12288>, 179 * 1024), "no error");
  EXPECT_EQ(error(with_static_shared<12288>, 179 * 1024 + 1),
            "k: 183297 bytes of dynamic shared memory beside 49152 static ones; at most 183296");
  EXPECT_EQ(error(with_static_shared<12289>, 0),
            "k: 49156 bytes of static shared memory; at most 49152, more must be dynamic");
}

TEST(ExecutorErrors, impossible_shapes_are_refused) {
  const auto shape_error = [](dim3 grid, dim3 block, std::size_t shared) {
    return error_of([&] { launch("empty", empty, grid, block, shared); });
  };
  EXPECT_EQ(shape_error(1, 1024, 227 * 1024), "no error");
  EXPECT_EQ(shape_error(0, 1, 0), "empty: grid (0, 1, 1) has no blocks; each extent must be at least 1");
  EXPECT_EQ(shape_error(1, 0, 0), "empty: block (0, 1, 1) has no threads; each extent must be at least 1");
  EXPECT_EQ(shape_error(1, 1025, 0),
            "empty: block (1025, 1, 1) is too large; at most 1024 threads and (1024, 1024, 64)");
  EXPECT_NE(shape_error(1, dim3(64, 32), 0), "no error");
  EXPECT_NE(shape_error(1, dim3(1, 1, 65), 0), "no error");
  EXPECT_NE(shape_error(dim3(1, 65536), 1, 0), "no error");
  EXPECT_EQ(shape_error(1, 1, 227 * 1024 + 1),
            "empty: 232449 bytes of dynamic shared memory; at most 232448");
}

TEST(ExecutorErrors, name_kernel_place_block_and_thread) {
  DeviceArray<int> out(64);
  const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  };
  const char* const file = "simt_test_executor_errors.cpp:";
  has(error_of([&] { launch("k", divergent_barrier, 2, 32, 0, out.get()); }),
      {"k: ", file, "divergent barrier"});
  has(error_of([&] { launch("k", barrier_after_exit, 1, 32, 0); }),
      {file, "divergent barrier: 31 threads", "other 1"});
  has(error_of([&] { launch("k", shuffle_without_the_others, 1, 32, 0, out.get()); }),
      {file, "inactive lane: a shuffle with mask 0xffffffff waits for lanes 0xffff0000", "__syncthreads"});
  has(error_of([&] { launch("k", shuffle_outside_mask, 1, 32, 0, out.get()); }),
      {file, "inactive lane", "mask 0x0000ffff", "lane 16", "thread (16, 0, 0)"});
  if (tally::simt::counting_available()) {  // else nothing sees a plain load, and only a time limit ends this
                                            // kernel
    has(error_of([&] { launch(nullptr, wait_for_ever, 2, 40, 0, DeviceArray<int>(std::vector{0}).get()); }),
        {"wait_for_ever: ", file, "deadlock"});
  }
  has(error_of([&] { launch("k", lock_for_ever, 4, 2, 0, DeviceArray<int>(std::vector{0}).get()); }),
      {file, "deadlock", "block (", "thread ("});
  has(error_of([&] { launch("k", write_nowhere, 1, 32, 0, out.get()); }),
      {file, "illegal address 0x0", "thread (5, 0, 0)"});
  has(error_of([&] { launch("k", divide, 1, 32, 0, out.get(), 0); }), {file, "division by zero"});
  has(error_of([&] { launch("k", fails_assertion, 1, 1, 0, 3); }), {file, "assertion failed: x == 4"});
  has(error_of([&] { launch("k", throws, 1, 1, 0); }), {"exception: from a kernel"});
}

__global__ void write_thread(int* out) { out[threadIdx.x] = threadIdx.x; }

TEST(ExecutorErrors, leave_the_executor_whole) {
  DeviceArray<int> out(256);
  for (int round = 0; round < 20; ++round) {
    EXPECT_NE(error_of([&] { launch("k", write_nowhere, 8, 256, 0, out.get()); }), "no error");
    EXPECT_NE(error_of([&] { launch("k", barrier_after_exit, 8, 64, 0); }), "no error");
    launch("write_thread", write_thread, 1, 256, 0, out.get());
    EXPECT_EQ(out[255], 255);
  }
}

}  // namespace
