#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;
using testing::printed_seed;

ProblemKey key_of(ScalarType type, std::int64_t n, const std::string& op, Distribution distribution,
                  std::int64_t misaligned_by = 0) {
  return {.family = "elementwise",
          .type = type,
          .n = n,
          .knobs = {{"op", op}, {"misaligned_by", misaligned_by}},
          .seed = printed_seed(),
          .distribution = distribution};
}

/// The answer in the widest arithmetic that there is; exact for these inputs where long double is.
void answer(Instance& instance, const std::string& op, std::int64_t n) {
  const ScalarType type = instance.problem().key().type;
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = instance.value("x", i);
    const double y = op == "square" ? x : instance.value("y", i);
    const double z = op == "multiply_add" ? instance.value("z", i) : 0;
    const double rounded = type == ScalarType::float32
                               ? std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))
                               : std::fma(x, y, z);
    instance.store("out", i, rounded);
  }
}

class ElementwiseCheck : public ::testing::TestWithParam<std::tuple<ScalarType, std::string, Distribution>> {
};

TEST_P(ElementwiseCheck, AcceptsTheRoundedAnswerAndNothingElse) {
  const auto [type, op, distribution] = GetParam();
  for (const std::int64_t n : {1, 31, 1003}) {
    Instance instance(key_of(type, n, op, distribution));
    EXPECT_FALSE(instance.check().right) << "a poisoned output passed";
    answer(instance, op, n);
    const CheckResult good = instance.check();
    ASSERT_TRUE(good.right) << n << ": " << good.where << " " << good.expected << " " << good.got;
    EXPECT_EQ(good.ulp, 0);
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      const double before = instance.value("out", at);
      for (const double wrong :
           {before + ulp_at(type, before), std::numeric_limits<double>::quiet_NaN(), before + 1}) {
        instance.store("out", at, wrong);
        const CheckResult bad = instance.check();
        EXPECT_FALSE(bad.right) << wrong << " passed for " << before;
        EXPECT_EQ(bad.where, "element " + std::to_string(at));
      }
      instance.store("out", at, before);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ElementwiseCheck,
                         ::testing::Combine(::testing::Values(ScalarType::float16, ScalarType::bfloat16,
                                                              ScalarType::float32, ScalarType::float64),
                                            ::testing::Values("multiply", "square", "multiply_add"),
                                            ::testing::ValuesIn(all_distributions().begin(),
                                                                all_distributions().end())));

TEST(Elementwise, FindsTwoElementsThatAreExchanged) {
  constexpr std::int64_t n = 200001;  // several parts, on all cores
  Instance instance(key_of(ScalarType::float32, n, "multiply", Distribution::uniform));
  answer(instance, "multiply", n);
  ASSERT_TRUE(instance.check().right);
  const double a = instance.value("out", 170000);
  instance.store("out", 170000, instance.value("out", 170001));
  instance.store("out", 170001, a);
  EXPECT_EQ(instance.check().where, "element 170000");
}

TEST(Elementwise, CountsBytesOfEveryArrayOnce) {
  EXPECT_EQ(Instance(key_of(ScalarType::float16, 10, "square", Distribution::uniform)).problem().bytes(), 40);
  EXPECT_EQ(Instance(key_of(ScalarType::float64, 10, "multiply", Distribution::uniform, 3)).problem().bytes(),
            240);
  EXPECT_EQ(
      Instance(key_of(ScalarType::float32, 10, "multiply_add", Distribution::uniform)).problem().bytes(),
      160);
}

TEST(Elementwise, AllArraysBeginAfterAnAlignedAddress) {
  const Instance moved(key_of(ScalarType::float64, 10, "multiply_add", Distribution::uniform, 3));
  ASSERT_EQ(moved.specs().size(), 4u);
  for (const BufferSpec& spec : moved.specs()) EXPECT_EQ(spec.misaligned_bytes(), 24) << spec.name;
}

TEST(Elementwise, RefusesWhatItCannotMake) {
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 0, "square", Distribution::uniform)), "n");
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 4, "square", Distribution::uniform, -1)),
            "misaligned_by");
}

}  // namespace
}  // namespace tally
