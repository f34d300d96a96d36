#include <gtest/gtest.h>

#include <limits>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;

ProblemKey key_of(ScalarType type, std::int64_t n, const std::string& kind,
                  Distribution distribution = Distribution::uniform) {
  return {.family = "scan",
          .type = type,
          .n = n,
          .knobs = {{"kind", kind}},
          .seed = testing::printed_seed(),
          .distribution = distribution};
}

/// Prefix sums in the widest arithmetic that there is; integers wrap as their type does.
void answer(Instance& instance, bool inclusive) {
  const ScalarType type = instance.problem().key().type;
  const std::int64_t n = instance.problem().key().n;
  long double sum = 0;
  std::uint64_t wrapping_sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = instance.value("x", i);
    const auto integer = static_cast<std::uint64_t>(load_as_integer(
        instance.array("x"), is_floating(type) ? ScalarType::int8 : type, is_floating(type) ? 0 : i));
    if (inclusive) sum += value, wrapping_sum += integer;
    if (type == ScalarType::int64) {
      static_cast<std::uint64_t*>(instance.array("out"))[i] = wrapping_sum;
    } else if (type == ScalarType::int32) {
      static_cast<std::uint32_t*>(instance.array("out"))[i] = static_cast<std::uint32_t>(wrapping_sum);
    } else {
      instance.store("out", i, static_cast<double>(sum));
    }
    if (!inclusive) sum += value, wrapping_sum += integer;
  }
}

class ScanCheck : public ::testing::TestWithParam<std::tuple<ScalarType, std::string, Distribution>> {};

TEST_P(ScanCheck, AcceptsTheAnswerAndNothingElse) {
  const auto [type, kind, distribution] = GetParam();
  for (const std::int64_t n : {1, 31, 200003}) {
    Instance instance(key_of(type, n, kind, distribution));
    EXPECT_FALSE(instance.check(20).right) << "a poisoned output passed";
    answer(instance, kind == "inclusive");
    const CheckResult good = instance.check(20);
    ASSERT_TRUE(good.right) << n << ": " << good.where << " " << good.expected << " " << good.got;
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      // The lowest bit of an integer, NaN for others: its greatest byte with all bits set.
      const bool floating = is_floating(type);
      auto* bytes =
          static_cast<unsigned char*>(instance.array("out")) + at * static_cast<std::int64_t>(size_of(type));
      std::vector<unsigned char> before(bytes, bytes + size_of(type));
      if (floating) {
        std::fill(bytes, bytes + size_of(type), 0xFF);
      } else {
        bytes[0] ^= 1;
      }
      const CheckResult bad = instance.check(20);
      EXPECT_FALSE(bad.right);
      EXPECT_EQ(bad.where, "element " + std::to_string(at));
      std::copy(before.begin(), before.end(), bytes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScanCheck,
                         ::testing::Combine(::testing::Values(ScalarType::float32, ScalarType::float64,
                                                              ScalarType::int32, ScalarType::int64),
                                            ::testing::Values("inclusive", "exclusive"),
                                            ::testing::ValuesIn(all_distributions().begin(),
                                                                all_distributions().end())));

TEST(Scan, FindsAnElementThatLacksOneTerm) {
  constexpr std::int64_t n = 1000;
  Instance instance(key_of(ScalarType::float32, n, "inclusive"));
  answer(instance, true);
  for (std::int64_t i = 1; i < n; ++i) {
    if (instance.value("x", i) < 0.01) continue;  // within the rounding that the bound allows
    const double before = instance.value("out", i);
    instance.store("out", i, instance.value("out", i - 1));
    EXPECT_FALSE(instance.check(20).right) << i;
    instance.store("out", i, before);
  }
}

TEST(Scan, TellsInclusiveFromExclusive) {
  Instance instance(key_of(ScalarType::int32, 100, "inclusive"));
  answer(instance, false);
  EXPECT_FALSE(instance.check().right);
}

TEST(Scan, RefusesAnEmptyProblem) {
  EXPECT_EQ(testing::refused_key(key_of(ScalarType::float32, 0, "inclusive")), "n");
}

}  // namespace
}  // namespace tally
