#include "harness/measure/ceiling.h"

#include <gtest/gtest.h>

#include "harness/problems/problem.h"

namespace tally {
namespace {

Ceilings ceilings() {
  Ceilings found;
  found.launch_floor_cold = 2.8e-6;
  found.launch_floor_batched = 1e-6;
  found.launch_floor_end_to_end = 8.5e-6;
  found.hbm_read = 4e12;
  found.hbm_copy = 3.5e12;
  found.l2_read = {{1 << 20, 5e12}, {16 << 20, 9e12}};
  return found;
}

std::unique_ptr<Problem> reduction(std::int64_t n) {
  ProblemKey key;
  key.family = "reduce";
  key.n = n;
  key.knobs["op"] = std::string("sum");
  return make_problem(key);
}

TEST(Ceiling, ColdIsTheColdFloorAndHbm) {
  const auto problem = reduction(1 << 28);
  const CeilingFigures found =
      ceiling_of(ceilings(), *problem, CacheState::cold, Clock::device, 50 << 20, 300e-6, 0.01);
  EXPECT_EQ(found.name, "hbm_read");
  constexpr double answer = 4;
  const double written = answer * (2 / 3.5e12 - 1 / 4e12);  // of a copy, what is not the reading
  EXPECT_DOUBLE_EQ(found.seconds, 2.8e-6 + (problem->bytes() - answer) / 4e12 + written);
  EXPECT_DOUBLE_EQ(found.fraction, found.seconds / 300e-6);
  EXPECT_FALSE(found.above);
}

std::unique_ptr<Problem> products(std::int64_t n, const std::string& op) {
  ProblemKey key;
  key.family = "elementwise";
  key.n = n;
  key.knobs["op"] = op;
  key.knobs["misaligned_by"] = std::int64_t{0};
  return make_problem(key);
}

TEST(Ceiling, WritingCostsWhatTheCopySaysThatItCosts) {
  constexpr double array = 4.0 * (1 << 26);
  const auto seconds = [](const char* op) {
    const auto problem = products(1 << 26, op);
    return ceiling_of(ceilings(), *problem, CacheState::cold, Clock::device, 50 << 20, 1e-3, 0.01).seconds -
           2.8e-6;
  };
  EXPECT_NEAR(seconds("square"), 2 * array / 3.5e12, 1e-12) << "a copy";
  EXPECT_NEAR(seconds("multiply"), 2 * array / 3.5e12 + array / 4e12, 1e-12)
      << "a copy, and one array more is read";
}

TEST(Ceiling, IsNamedAfterTheCopyWhereMuchIsWritten) {
  const auto name = [](const Problem& problem) {
    return ceiling_of(ceilings(), problem, CacheState::cold, Clock::device, 50 << 20, 1e-3, 0.01).name;
  };
  EXPECT_EQ(name(*products(1 << 20, "multiply_add")), "hbm_copy") << "one array of four is written";
  EXPECT_EQ(name(*reduction(1024)), "hbm_read") << "one element is written";
  ProblemKey backward;
  backward.family = "upsample_nearest2x";
  backward.n = 1 << 20;
  backward.knobs["direction"] = std::string("backward");
  EXPECT_EQ(name(*make_problem(backward)), "hbm_copy") << "one element of five is written";
}

TEST(Ceiling, WarmIsL2WhereItFitsAndHbmBeyond) {
  const auto small = reduction(1 << 20);
  const CeilingFigures in_l2 =
      ceiling_of(ceilings(), *small, CacheState::warm, Clock::device, 50 << 20, 3e-6, 0.01);
  EXPECT_EQ(in_l2.name, "l2_read");
  EXPECT_DOUBLE_EQ(in_l2.seconds, 1e-6 + small->bytes() / l2_read_rate(ceilings(), small->bytes()));
  const auto large = reduction(1 << 23);  // 32 MiB of 50: more than 60%
  EXPECT_EQ(ceiling_of(ceilings(), *large, CacheState::warm, Clock::device, 50 << 20, 3e-6, 0.01).name,
            "hbm_read");
}

TEST(Ceiling, AnAnswerInHostMemoryHasAFloorOfItsOwn) {
  const auto problem = reduction(1 << 20);
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    const double on_device = cache == CacheState::warm ? 1e-6 : 2.8e-6;
    const auto seconds = [&](Clock clock) {
      return ceiling_of(ceilings(), *problem, cache, clock, 50 << 20, 20e-6, 0.01).seconds;
    };
    EXPECT_DOUBLE_EQ(seconds(Clock::end_to_end) - seconds(Clock::device), 8.5e-6 - on_device);
  }
}

TEST(Ceiling, AboveItByMoreThanTheNoiseIsFlagged) {
  const auto problem = reduction(1 << 20);
  const double best =
      ceiling_of(ceilings(), *problem, CacheState::cold, Clock::device, 50 << 20, 1, 0).seconds;
  EXPECT_FALSE(
      ceiling_of(ceilings(), *problem, CacheState::cold, Clock::device, 50 << 20, best / 1.009, 0.01).above);
  EXPECT_TRUE(
      ceiling_of(ceilings(), *problem, CacheState::cold, Clock::device, 50 << 20, best / 1.02, 0.01).above);
}

TEST(Ceiling, L2RatesLieBetweenTheMeasuredFootprints) {
  EXPECT_DOUBLE_EQ(l2_read_rate(ceilings(), 4), 5e12);
  EXPECT_DOUBLE_EQ(l2_read_rate(ceilings(), 8.5 * (1 << 20)), 7e12);
  EXPECT_DOUBLE_EQ(l2_read_rate(ceilings(), 1e12), 9e12);
  EXPECT_EQ(l2_read_rate({}, 1), 0);
}

}  // namespace
}  // namespace tally
