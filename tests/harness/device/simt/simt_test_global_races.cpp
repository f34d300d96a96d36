// Races in global memory, between blocks and within one: each planted one is found with its line; fences,
// atomics, flags and the ends of launches order what they should.
#include "tests/harness/device/simt/finding_checks.h"

namespace {

using tally::simt::all_messages;
using tally::simt::Checks;
using tally::simt::DeviceArray;
using tally::simt::expect_found;
using tally::simt::Finding;
using tally::simt::FindingKind;
using tally::simt::findings_of;
using tally::simt::launch;

template <bool own>
__global__ void neighbours_in_place(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = x[own ? i : (i + 32) % n] + 1;
}
constexpr int neighbours_line = __LINE__ - 2;

TEST_F(Checks, blocks_that_read_what_others_write_are_a_race) {
  DeviceArray<int> x(std::vector<int>(128, 1), "x");
  EXPECT_CLEAN(launch("k", neighbours_in_place<true>, 4, 32, 0, x.get(), 128));
  const auto found = findings_of([&] { launch("k", neighbours_in_place<false>, 4, 32, 0, x.get(), 128); });
  expect_found(found, FindingKind::global_race, neighbours_line);
  EXPECT_EQ(found.front().buffer, "x");
  // Ordered by the end of a launch, the same accesses are none.
  EXPECT_CLEAN({
    launch("k", neighbours_in_place<true>, 4, 32, 0, x.get(), 128);
    launch("k", neighbours_in_place<true>, 4, 32, 0, x.get(), 128);
  });
}

template <bool with_fence, bool with_ticket>
__global__ void last_block(int* out, int* partials, unsigned* ticket) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = blockIdx.x;
    if (with_fence) __threadfence();
    is_last = with_ticket ? atomicAdd(ticket, 1u) == gridDim.x - 1 : blockIdx.x == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) sum += partials[b];
  atomicAdd(out, sum);
  if (threadIdx.x == 0) *ticket = 0;
}
constexpr int last_block_line = __LINE__ - 4;

TEST_F(Checks, the_last_block_by_fence_and_ticket_is_clean) {
  DeviceArray<int> out(std::vector<int>{0}, "out"), partials(40, "partials");
  DeviceArray<unsigned> ticket(std::vector<unsigned>{0}, "ticket");
  const auto run = [&](auto kernel) {
    launch("k", kernel, 40, 64, 0, out.get(), partials.get(), ticket.get());
  };
  EXPECT_CLEAN(run(last_block<true, true>));
  EXPECT_CLEAN(run(last_block<true, true>));
  EXPECT_EQ(out[0], 2 * 780);
  expect_found(findings_of([&] { run(last_block<false, true>); }), FindingKind::global_race, last_block_line);
  const auto without_ticket = findings_of([&] { run(last_block<true, false>); });
  expect_found(without_ticket, FindingKind::global_race, last_block_line);
}

// Every thread writes and fences; after the barrier one thread takes the ticket.
__global__ void all_threads_fence(int* out, int* partials, unsigned* ticket) {
  __shared__ bool is_last;
  partials[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last) {
    int sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += partials[i];
    atomicAdd(out, sum);
  }
}

TEST_F(Checks, fences_of_all_threads_before_one_ticket_are_clean) {
  DeviceArray<int> out(std::vector<int>{0}, "out"), partials(20 * 64, "partials");
  DeviceArray<unsigned> ticket(std::vector<unsigned>{0}, "ticket");
  EXPECT_CLEAN(launch("k", all_threads_fence, 20, 64, 0, out.get(), partials.get(), ticket.get()));
  EXPECT_EQ(out[0], 20 * 64);
}

// Blocks pass a value on: data, fence, flag; the next polls the flag.
template <bool with_fence>
__global__ void chain(int* values, int* flags) {
  if (threadIdx.x != 0) return;
  int before = 0;
  if (blockIdx.x > 0) {
    while (static_cast<volatile int*>(flags)[blockIdx.x - 1] == 0) {
    }
    before = values[blockIdx.x - 1];
  }
  values[blockIdx.x] = before + 1;
  if (with_fence) __threadfence();
  static_cast<volatile int*>(flags)[blockIdx.x] = 1;
}

TEST_F(Checks, a_flag_after_a_fence_orders_blocks) {
  DeviceArray<int> values(30, "values"), flags(std::vector<int>(30, 0), "flags");
  EXPECT_CLEAN(launch("chain", chain<true>, 30, 32, 0, values.get(), flags.get()));
  EXPECT_EQ(values[29], 30);
  DeviceArray<int> fresh(std::vector<int>(30, 0), "flags");
  const auto found =
      findings_of([&] { launch("chain", chain<false>, 30, 32, 0, values.get(), fresh.get()); });
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().kind, FindingKind::global_race);
}

// The whole state in one word, published by an atomic.
__global__ void chain_of_words(unsigned long long* states) {
  if (threadIdx.x != 0) return;
  unsigned long long before = 0;
  if (blockIdx.x > 0) {
    while ((before = static_cast<volatile unsigned long long*>(states)[blockIdx.x - 1]) == 0) {
    }
  }
  atomicExch(&states[blockIdx.x], before + 1);
}

TEST_F(Checks, a_word_published_by_an_atomic_may_be_polled) {
  DeviceArray<unsigned long long> states(std::vector<unsigned long long>(30, 0), "states");
  EXPECT_CLEAN(launch("chain", chain_of_words, 30, 32, 0, states.get()));
  EXPECT_EQ(states[29], 30u);
}

template <bool with_barrier>
__global__ void through_global(int* x) {
  x[threadIdx.x] = threadIdx.x;
  if (with_barrier) __syncthreads();
  x[128 + threadIdx.x] = x[127 - threadIdx.x];
}
constexpr int through_global_line = __LINE__ - 2;

TEST_F(Checks, threads_of_a_block_race_in_global_memory_too) {
  DeviceArray<int> x(std::vector<int>(256, 0), "x");
  EXPECT_CLEAN(launch("k", through_global<true>, 1, 128, 0, x.get()));
  const auto found = findings_of([&] { launch("k", through_global<false>, 1, 128, 0, x.get()); });
  bool at_line = false;
  for (const Finding& finding : found) at_line |= finding.line == through_global_line;
  EXPECT_TRUE(at_line) << all_messages(found);
}

}  // namespace
