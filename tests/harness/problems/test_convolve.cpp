#include <gtest/gtest.h>

#include <limits>

#include "harness/problems/check.h"
#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;

ProblemKey key_of(ScalarType type, std::int64_t n, std::int64_t taps,
                  Distribution distribution = Distribution::uniform) {
  return {.family = "convolve",
          .type = type,
          .n = n,
          .knobs = {{"taps", taps}},
          .seed = testing::printed_seed(),
          .distribution = distribution};
}

/// The definition, from the values in the arrays.
long double output(Instance& instance, std::int64_t n, std::int64_t taps, std::int64_t t) {
  long double sum = 0;
  for (std::int64_t m = 0; m < taps; ++m) {
    if (t - m < 0 || t - m >= n) continue;
    sum += static_cast<long double>(instance.value("a", t - m)) * instance.value("b", m);
  }
  return sum;
}

void answer(Instance& instance, std::int64_t n, std::int64_t taps) {
  for (std::int64_t t = 0; t < n + taps - 1; ++t)
    instance.store("out", t, static_cast<double>(output(instance, n, taps, t)));
}

class ConvolveCheck : public ::testing::TestWithParam<std::tuple<std::int64_t, std::int64_t, Distribution>> {
};

TEST_P(ConvolveCheck, AcceptsTheAnswerAndNothingElse) {
  const auto [n, taps, distribution] = GetParam();
  for (const ScalarType type : {ScalarType::float32, ScalarType::float64}) {
    Instance instance(key_of(type, n, taps, distribution));
    EXPECT_FALSE(instance.check().right) << "a poisoned output passed";
    answer(instance, n, taps);
    const CheckResult good = instance.check(1);
    ASSERT_TRUE(good.right) << good.where << " " << good.expected << " " << good.got;
    EXPECT_LE(good.ulp, 0.51);
    for (const std::int64_t at : {std::int64_t{0}, (n + taps - 2) / 2, n + taps - 2}) {
      const double before = instance.value("out", at);
      instance.store("out", at, std::numeric_limits<double>::quiet_NaN());
      EXPECT_EQ(instance.check().where, "element " + std::to_string(at));
      instance.store("out", at, before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConvolveCheck,
    ::testing::Combine(::testing::Values(1, 5, 62, 1003), ::testing::Values(1, 3, 31, 32, 200),
                       ::testing::ValuesIn(all_distributions().begin(), all_distributions().end())));

TEST(Convolve, ChunksAndCoresMeetWithoutASeam) {
  constexpr std::int64_t n = 150001;
  constexpr std::int64_t taps = 67;
  Instance instance(key_of(ScalarType::float64, n, taps));
  answer(instance, n, taps);
  const CheckResult result = instance.check(1);
  EXPECT_TRUE(result.right) << result.where;
}

TEST(Convolve, FindsAnOutputThatLacksATap) {
  constexpr std::int64_t n = 400;
  constexpr std::int64_t taps = 100;
  for (const std::int64_t missing : {std::int64_t{0}, std::int64_t{50}, taps - 1}) {
    // A tap near zero leaves nothing to be missed: another seed has another one there.
    ProblemKey key = key_of(ScalarType::float32, n, taps);
    while (Instance(key).value("b", missing) < 0.1) ++key.seed;
    Instance instance(key);
    int caught = 0;
    int planted = 0;
    answer(instance, n, taps);
    for (std::int64_t t = missing; t < missing + n; t += 7) {
      const double before = instance.value("out", t);
      const double term = instance.value("a", t - missing) * instance.value("b", missing);
      if (term < 1e-2) continue;
      instance.store("out", t, before - term);
      ++planted;
      caught += instance.check(taps).right ? 0 : 1;
      instance.store("out", t, before);
    }
    EXPECT_EQ(caught, planted);
    EXPECT_GT(planted, 10);
  }
}

TEST(Convolve, FindsTapsInTheWrongOrder) {
  constexpr std::int64_t n = 50;
  constexpr std::int64_t taps = 40;
  Instance instance(key_of(ScalarType::float32, n, taps));
  for (std::int64_t t = 0; t < n + taps - 1; ++t) {
    long double sum = 0;
    for (std::int64_t m = 0; m < taps; ++m) {
      if (t - m >= 0 && t - m < n) sum += instance.value("a", t - m) * instance.value("b", taps - 1 - m);
    }
    instance.store("out", t, static_cast<double>(sum));
  }
  EXPECT_FALSE(instance.check().right);
}

TEST(Convolve, ASpreadBoundIsTheSameForAllOutputs) {
  constexpr std::int64_t n = 2000;
  constexpr std::int64_t taps = 500;
  Instance instance(key_of(ScalarType::float32, n, taps));
  answer(instance, n, taps);
  // The first output is one product, the largest sums have 500 terms of a quarter.
  const double first = instance.value("out", 0);
  const double off = 10 * 100 * unit_roundoff(ScalarType::float32);
  instance.store("out", 0, first + off);
  EXPECT_FALSE(instance.check(taps).right);
  EXPECT_TRUE(instance.check(spread_over_all(20)).right);
  instance.store("out", 0, first + 4 * off);
  EXPECT_FALSE(instance.check(spread_over_all(20)).right);
}

TEST(Convolve, RefusesWhatItCannotMake) {
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 0, 3)), "n");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 10, 0)), "taps");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 10, -3)), "taps");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 10, 1 << 20)), "taps");
}

}  // namespace
}  // namespace tally
