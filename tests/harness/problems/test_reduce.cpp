#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;

ProblemKey key_of(ScalarType type, std::int64_t n, const std::string& op,
                  Distribution distribution = Distribution::uniform) {
  return {.family = "reduce",
          .type = type,
          .n = n,
          .knobs = {{"op", op}},
          .seed = testing::printed_seed(),
          .distribution = distribution};
}

/// The definition in long double: exact for all but the longest int64 sums, whose low bits it still has here.
void answer(Instance& instance, std::int64_t skipped = -1) {
  const ProblemKey& key = instance.problem().key();
  const std::string& op = key.text("op");
  long double sum = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -smallest;
  for (std::int64_t i = 0; i < key.n; ++i) {
    if (i == skipped) continue;
    const double value = instance.value("x", i);
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  if (op == "mean") sum /= static_cast<long double>(key.n);
  const ScalarType type = accumulator_of(key.type);
  const auto result = op == "min" ? smallest : op == "max" ? largest : static_cast<double>(sum);
  instance.store("out", 0, is_floating(type) ? result : std::trunc(result));
}

class ReduceCheck : public ::testing::TestWithParam<std::tuple<ScalarType, std::string, Distribution>> {};

TEST_P(ReduceCheck, AcceptsTheAnswerAndNothingElse) {
  const auto [type, op, distribution] = GetParam();
  for (const std::int64_t n : {1, 33, 1003}) {
    Instance instance(key_of(type, n, op, distribution));
    EXPECT_FALSE(instance.check(10).right) << "a poisoned output passed";
    answer(instance);
    const CheckResult good = instance.check(10);
    ASSERT_TRUE(good.right) << n << " " << good.expected << " " << good.got;
    const double before = instance.value("out", 0);
    instance.store("out", 0, before + (is_floating(accumulator_of(type)) ? 0.5 : 1));
    EXPECT_FALSE(instance.check(10).right) << n << " " << before;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ReduceCheck,
    ::testing::Combine(::testing::ValuesIn(all_scalar_types().begin(), all_scalar_types().end()),
                       ::testing::Values("sum", "min", "max", "mean"),
                       ::testing::ValuesIn(all_distributions().begin(), all_distributions().end())));

TEST(Reduce, FindsAMissingHeadOrTailAtAnySize) {
  for (const std::int64_t n : {2, 100, 100003}) {
    for (const std::int64_t skipped : {std::int64_t{0}, n - 1}) {
      Instance instance(key_of(ScalarType::float32, n, "sum", Distribution::exact));
      answer(instance, skipped);
      EXPECT_FALSE(instance.check(20).right) << n << " " << skipped;
    }
  }
}

ProblemKey misaligned(ProblemKey key, std::int64_t elements) {
  key.knobs["misaligned_by"] = elements;
  return key;
}

TEST(Reduce, AMisalignedArrayHoldsTheSameValues) {
  const ProblemKey key = key_of(ScalarType::float32, 1003, "sum");
  Instance aligned(key);
  Instance moved(misaligned(key, 5));
  EXPECT_EQ(moved.specs()[0].misaligned_bytes(), 20);
  EXPECT_EQ(moved.specs()[1].misaligned_bytes(), 0) << "the answer is where it was";
  for (std::int64_t i = 0; i < 1003; ++i) ASSERT_EQ(moved.value("x", i), aligned.value("x", i)) << i;
  EXPECT_EQ(moved.problem().bytes(), aligned.problem().bytes());
}

TEST(Reduce, OnlyAMisalignedArrayIsNamedSo) {
  const ProblemKey key = key_of(ScalarType::float32, 8, "sum");
  EXPECT_EQ(misaligned(key, 0).id(), "reduce/op:sum/type:float32/n:8");
  EXPECT_EQ(make_problem(key)->key().id(), "reduce/op:sum/type:float32/n:8");
  EXPECT_EQ(misaligned(key, 1).id(), "reduce/misaligned_by:1/op:sum/type:float32/n:8");
  EXPECT_FALSE(misaligned(key, 0).stated_knobs().contains("misaligned_by"));
}

TEST(Reduce, RefusesAnEmptyProblemAndAnArrayBeforeItself) {
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 0, "sum")), "n");
  EXPECT_EQ(testing::refused_key(misaligned(key_of(ScalarType::float32, 8, "sum"), -1)), "misaligned_by");
}

}  // namespace
}  // namespace tally
