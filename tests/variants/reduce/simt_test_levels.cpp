/// The arithmetic of repeated launches, without launching anything.
#include "variants/reduce/levels.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(Levels, OneLaunchWhereOneBlockIsEnough) {
  for (const std::int64_t n : {1, 2, 255, 256}) {
    EXPECT_EQ(Levels(n, 256).launches, 1) << n;
    EXPECT_EQ(Levels(n, 256).partials, 0) << n;
  }
}

TEST(Levels, OneElementMoreThanABlockTakesASecondLaunch) {
  EXPECT_EQ(Levels(257, 256).launches, 2);
  EXPECT_EQ(Levels(257, 256).partials, 2);
}

TEST(Levels, CountTheValuesOfAllLevelsButTheLast) {
  const Levels levels(std::int64_t{1} << 28, 256);
  EXPECT_EQ(levels.launches, 4);
  EXPECT_EQ(levels.partials, (1 << 20) + (1 << 12) + (1 << 4));
}

TEST(Levels, ComeToAnEndWithTheSmallestBlock) {
  const Levels levels((std::int64_t{1} << 28) + 1, 2);
  EXPECT_EQ(levels.launches, 29);
}

TEST(Levels, CostReadsEveryValueOnce) {
  const ProblemKey key{.family = "reduce", .type = ScalarType::float16, .n = 1000};
  const Cost cost = cost_of_levels(key, 64);  // 1000 -> 16 -> 1
  EXPECT_EQ(cost.launches, 2);
  EXPECT_EQ(cost.partials, 16);
  EXPECT_EQ(cost.bytes_read, 1000 * 2 + 16 * 4) << "halves add up in float32";
  EXPECT_EQ(cost.bytes_written, (16 + 1) * 4);
}

TEST(Levels, AdditionsAreTheDepthOfAllTrees) {
  const ProblemKey key{.family = "reduce", .n = 1000};
  EXPECT_EQ(additions_of_levels(key, 256), 2 * 8);
  EXPECT_EQ(additions_of_levels(key, 1024), 10);
}

}  // namespace
}  // namespace tally
