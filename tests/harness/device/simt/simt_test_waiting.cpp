// Blocks that wait for each other, on one core and on several.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "tests/harness/device/simt/kernels_under_test.h"

namespace {

using tally::simt::DeviceArray;
using tally::simt::launch;
using tally::simt::random_values;

__global__ void last_block_sums(int* out, int* partials, unsigned* ticket, const int* x) {
  __shared__ int sum;
  __shared__ bool is_last;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int total = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += static_cast<volatile int*>(partials)[b];
    *out = total;
  }
}

TEST(ExecutorWaiting, lets_the_last_block_finish) {
  const auto values = random_values(200 * 128, 13);
  for (const unsigned workers : {1u, 3u}) {
    tally::simt::set_worker_count(workers);
    DeviceArray<int> x(values), partials(200), out(1);
    DeviceArray<unsigned> ticket(std::vector<unsigned>{0});
    launch("last_block_sums", last_block_sums, 200, 128, 0, out.get(), partials.get(), ticket.get(), x.get());
    EXPECT_EQ(out[0], std::accumulate(values.begin(), values.end(), 0));
    EXPECT_EQ(ticket[0], 0u);
  }
  tally::simt::set_worker_count(0);
}

// Each block waits, with nothing but volatile loads, for the prefix that the block before it publishes.
__global__ void chained_scan(int* prefixes, int* flags, const int* x) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (static_cast<volatile int*>(flags)[blockIdx.x - 1] == 0) {
    }
    __threadfence();
    before = static_cast<volatile int*>(prefixes)[blockIdx.x - 1];
  }
  static_cast<volatile int*>(prefixes)[blockIdx.x] = before + x[blockIdx.x];
  __threadfence();
  static_cast<volatile int*>(flags)[blockIdx.x] = 1;
}

TEST(ExecutorWaiting, lets_a_block_wait_for_the_one_before) {
  const auto values = random_values(500, 14);
  std::vector<int> expected(500);
  std::inclusive_scan(values.begin(), values.end(), expected.begin());
  for (const unsigned workers : {1u, 3u}) {
    tally::simt::set_worker_count(workers);
    DeviceArray<int> x(values), prefixes(500), flags(std::vector<int>(500, 0));
    launch("chained_scan", chained_scan, 500, 64, 0, prefixes.get(), flags.get(), x.get());
    EXPECT_EQ(prefixes.values(), expected);
  }
  tally::simt::set_worker_count(0);
}

// What happens outside device memory: nobody's access.
struct HeldUp {
  std::atomic<int> looks_of_first = 0, looks_of_second = 0;
  std::atomic<bool> told = false;

  TALLY_SIMT_NOT_COUNTED void first_looks() {
    ++looks_of_first;
    // Not for ever: the second looks no more if its launch has failed.
    for (int i = 0; i < 5000000 && told && looks_of_second < 10000; ++i) std::this_thread::yield();
  }
  TALLY_SIMT_NOT_COUNTED bool first_waits() const { return looks_of_first > 10; }
  TALLY_SIMT_NOT_COUNTED void tell() { told = true; }
  TALLY_SIMT_NOT_COUNTED void second_looks() { ++looks_of_second; }
};

// The first block waits. When the second lets it go on, its core is held up, as a busy machine's may be,
// until the second has looked for its answer 10000 times.
__global__ void answer_late(int* words, HeldUp* held_up) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  auto* const word = static_cast<volatile int*>(words);
  if (blockIdx.x == 0) {
    while (word[0] == 0) {
      __nanosleep(1);
      held_up->first_looks();
    }
    __threadfence();
    word[1] = word[0] + 1;
  } else {
    while (!held_up->first_waits()) __nanosleep(1);
    held_up->tell();
    word[0] = 1;
    while (word[1] == 0) {
      held_up->second_looks();
      __nanosleep(1);
    }
  }
}

TEST(ExecutorWaiting, calls_no_wait_a_deadlock_while_a_worker_is_held_up) {
  tally::simt::set_worker_count(2);
  HeldUp held_up;
  DeviceArray<int> words(std::vector<int>(2, 0));
  launch("answer_late", answer_late, 4, 1024, 0, words.get(), &held_up);  // enough threads for two workers
  EXPECT_EQ(words[1], 2);
  tally::simt::set_worker_count(0);
}

}  // namespace
