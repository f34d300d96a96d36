// A warp's accesses are looked at together where that gives what looking at them one by one would: random
// programs, right ones and wrong ones, are run both ways. A fence that no store to global memory has followed
// makes the executor look one by one.
#include <random>
#include <sstream>

#include "tests/harness/device/simt/finding_checks.h"

namespace {

using tally::simt::DeviceArray;
using tally::simt::Finding;
using tally::simt::launch;
using tally::simt::LaunchError;
using tally::simt::Session;

struct Step {
  unsigned what, stride, offset, lanes, times;
};
struct Program {
  unsigned count;
  Step steps[16];
};

__constant__ int constants[64] = {1, 2, 3};

__global__ void interpret(Program program, bool one_by_one, int* out, const int* global) {
  __shared__ int words[64];
  __shared__ long long doubles[64];
  __shared__ unsigned char bytes[64];
  const unsigned t = threadIdx.x, lane = t % 32;
  int sum = 0;
  tally::simt::fence(
      one_by_one);  // __threadfence(), else __threadfence_block(), with no branch to be counted
  for (unsigned i = 0; i < program.count; ++i) {
    const Step step = program.steps[i];
    if (((step.lanes >> lane) & 1) == 0) continue;
    const unsigned x = (t * step.stride + step.offset) % 64;
    for (unsigned k = 0; k < step.times; ++k) {
      switch (step.what) {
        case 0:
          words[x] = sum + 1;
          break;
        case 1:
          sum += words[x];
          break;
        case 2:
          doubles[x] = sum;
          break;
        case 3:
          sum += static_cast<int>(doubles[(x + k) % 64]);
          break;
        case 4:
          bytes[x] = static_cast<unsigned char>(sum);
          break;
        case 5:
          sum += bytes[x];
          break;
        case 6:
          sum += global[x + k % 64];
          break;
        case 7:
          sum += constants[x];
          break;
        case 8:
          sum += *(lane % 2 == 0 ? &words[x] : &constants[x]);
          break;
        case 9:
          __syncwarp(step.lanes);
          break;
        case 10:
          sum += __shfl_xor_sync(step.lanes, sum, 1);
          break;
        default:
          __syncthreads();
      }
    }
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}

Program random_program(std::mt19937& random) {
  constexpr unsigned whats[] = {0, 0, 1, 1, 1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 9, 10, 11};
  constexpr unsigned lanes[] = {~0u, ~0u, ~0u, 0x55555555u, 0xffffu, 1u};
  constexpr unsigned strides[] = {1, 1, 1, 2, 0, 3};
  const bool simple = random() % 2 == 0;
  Program program{4 + static_cast<unsigned>(random() % 12), {}};
  for (Step& step : program.steps) {
    step = {whats[random() % 18], simple ? 1 : strides[random() % 6], static_cast<unsigned>(random() % 3),
            lanes[random() % 6], random() % 4 == 0 ? static_cast<unsigned>(random() % 12) : 1};
    if (step.what == 11) step.lanes = ~0u;
  }
  // Most begin with memory that is written, so that their races are the first thing wrong with them.
  if (random() % 4 != 0) {
    for (unsigned i = 0; i < 3; ++i) program.steps[i] = {2 * i, 1, 0, ~0u, 1};
    program.steps[3] = {11, 1, 0, ~0u, 1};
  }
  return program;
}

std::string all_that_was_seen(const Program& program, int threads, bool one_by_one) {
  DeviceArray<int> out(256, "out"), global(std::vector<int>(128, 1), "global");
  Session session;
  std::ostringstream text;
  try {
    launch("interpret", interpret, 2, threads, 0, program, one_by_one, out.get(), global.get());
  } catch (const LaunchError& error) {
    text << error.what() << "\n";
  }
  for (const auto& [name, value] : session.total().by_name()) text << name << " " << value << "\n";
  for (const Finding& finding : session.findings()) text << finding.count << " " << finding.message << "\n";
  return text.str();
}

TEST(JointAccesses, are_seen_as_one_by_one) {
  if (!tally::simt::counting_available()) GTEST_SKIP() << "kernels are not instrumented: no clang";
  int wrong = 0, right = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const Program program = random_program(random);
    const int threads = seed % 3 == 0 ? 40 : 64;
    const std::string together = all_that_was_seen(program, threads, false);
    ASSERT_EQ(together, all_that_was_seen(program, threads, true)) << "program " << seed;
    (together.find("race in shared memory") == std::string::npos ? right : wrong) += 1;
  }
  EXPECT_GT(wrong, 50);
  EXPECT_GT(right, 50);
}

}  // namespace
