#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;

ProblemKey key_of(ScalarType type, std::int64_t n, const std::string& accumulate = "wide",
                  const std::string& values = "drawn", Distribution distribution = Distribution::uniform) {
  return {.family = "dot",
          .type = type,
          .n = n,
          .knobs = {{"accumulate", accumulate}, {"values", values}},
          .seed = testing::printed_seed(),
          .distribution = distribution};
}

long double exact_answer(Instance& instance) {
  long double sum = 0;
  for (std::int64_t i = 0; i < instance.problem().key().n; ++i) {
    sum += static_cast<long double>(instance.value("x", i)) * instance.value("y", i);
  }
  return sum;
}

TEST(Dot, AcceptsTheAnswerOfEveryDistributionAndType) {
  for (const ScalarType type :
       {ScalarType::float16, ScalarType::bfloat16, ScalarType::float32, ScalarType::float64}) {
    for (const Distribution distribution : all_distributions()) {
      for (const std::int64_t n : {1, 33, 5003}) {
        Instance instance(key_of(type, n, "wide", "drawn", distribution));
        EXPECT_FALSE(instance.check(1).right) << "a poisoned output passed";
        instance.store("out", 0, static_cast<double>(exact_answer(instance)));
        const CheckResult result = instance.check(1);
        EXPECT_TRUE(result.right) << instance.problem().key().id() << " " << result.expected << " "
                                  << result.got;
        EXPECT_LE(result.ulp, 0.51);
      }
    }
  }
}

TEST(Dot, FindsOneMissingTerm) {
  for (const Distribution distribution : {Distribution::uniform, Distribution::exact}) {
    constexpr std::int64_t n = 1003;
    Instance instance(key_of(ScalarType::float32, n, "wide", "drawn", distribution));
    const long double all = exact_answer(instance);
    for (const std::int64_t missing : {std::int64_t{0}, n - 1}) {
      const long double term =
          static_cast<long double>(instance.value("x", missing)) * instance.value("y", missing);
      if (std::fabs(term) < 1e-3L) continue;
      instance.store("out", 0, static_cast<double>(all - term));
      EXPECT_FALSE(instance.check(20).right) << missing;
    }
    instance.store("out", 0, std::numeric_limits<double>::quiet_NaN());
    EXPECT_FALSE(instance.check().right);
  }
}

TEST(Dot, WhereEveryOrderIsExactOneUlpIsWrong) {
  Instance instance(key_of(ScalarType::float16, 100000, "own", "fitting"));
  const auto exact = static_cast<double>(exact_answer(instance));
  instance.store("out", 0, exact);
  EXPECT_TRUE(instance.check(100000).right);
  instance.store("out", 0, exact + ulp_at(ScalarType::float16, exact));
  EXPECT_FALSE(instance.check(100000).right);
}

TEST(Dot, FittingInputsFitAHalfAccumulatorInAnyOrder) {
  for (const std::int64_t n : {1, 40, 1 << 20}) {
    Instance instance(key_of(ScalarType::float16, n, "own", "fitting"));
    double magnitudes = 0;
    int terms = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double term = instance.value("x", i) * instance.value("y", i);
      EXPECT_EQ(term, std::nearbyint(term));
      magnitudes += std::fabs(term);
      terms += term != 0 ? 1 : 0;
    }
    EXPECT_LE(magnitudes, 2048) << n;
    EXPECT_GE(terms, std::min<std::int64_t>(n, 32));
  }
}

TEST(Dot, AHalfAccumulatorStallsOnTenthsAndItsErrorIsShown) {
  constexpr std::int64_t n = 1 << 17;
  Instance instance(key_of(ScalarType::float16, n, "own", "tenths"));
  double accumulator = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double term = instance.value("x", i) * instance.value("y", i);
    instance.store("out", 0, accumulator + term);
    accumulator = instance.value("out", 0);
  }
  EXPECT_EQ(accumulator, 32);
  const CheckResult stalled = instance.check(n);
  EXPECT_TRUE(stalled.right) << "within the bound of n half additions";
  EXPECT_GT(stalled.error, 1900);  // nearly 2^11: nothing of the sum is left
  instance.store("out", 0, static_cast<double>(exact_answer(instance)));
  EXPECT_LT(instance.check(20).error, 1);
  instance.store("out", 0, 32);
  EXPECT_FALSE(instance.check(20).right) << "a float accumulator promises more";
}

TEST(Dot, RefusesAnAnswerBeyondHalf) {
  // 0.00999 a term: 65504 is reached at 6.55 million.
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float16, 6500000, "own", "tenths")), "");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float16, 6600000, "own", "tenths")), "accumulate");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float16, 1 << 20, "own")), "accumulate");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float16, 1 << 20, "wide")), "");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float16, 1 << 20, "own", "fitting")), "");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::bfloat16, 10, "own")), "accumulate");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 0)), "n");
}

}  // namespace
}  // namespace tally
