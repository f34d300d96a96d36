#include "harness/problems/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/problems/elements.h"

namespace tally {
namespace {

ExactSum sum_of(std::initializer_list<std::int64_t> terms, int fraction_bits = 0, std::int64_t divisor = 1) {
  ExactSum exact{{}, fraction_bits, divisor};
  for (const std::int64_t term : terms) exact.terms.add(Int128{term});
  return exact;
}

constexpr float u = 1.0f / (1 << 24);

TEST(CheckSum, AllowsTheChainAndNoMore) {
  const ExactSum exact = sum_of({1 << 20, 1 << 20}, 20);  // 1 + 1
  const auto right = [&](float got, double additions) {
    return check_sum(ScalarType::float32, &got, exact, additions, false).right;
  };
  EXPECT_TRUE(right(2.0f, 1));
  EXPECT_TRUE(right(2.0f + 4 * u, 1));  // 2 u of a magnitude of 2, and half an ulp
  EXPECT_FALSE(right(2.0f + 8 * u, 1));
  EXPECT_TRUE(right(2.0f + 8 * u, 8));
  EXPECT_FALSE(right(std::numeric_limits<float>::quiet_NaN(), 1e9));
  EXPECT_FALSE(right(std::numeric_limits<float>::infinity(), 1e9));
}

TEST(CheckSum, LongChainsAreBoundedByTheirRoot) {
  EXPECT_EQ(allowed_chain(50), 50);
  EXPECT_EQ(allowed_chain(1e6), 1e4);
  const ExactSum exact = sum_of({1 << 20}, 20);
  const float off = 1 + 2e4f * u;
  EXPECT_FALSE(check_sum(ScalarType::float32, &off, exact, 1e6, false).right);
  EXPECT_TRUE(check_sum(ScalarType::float32, &off, exact, 1e6, false, ErrorBound::certain).right);
  EXPECT_FALSE(check_sum(ScalarType::float32, &off, exact, 1e4, false, ErrorBound::certain).right);
}

TEST(CheckSum, WhereEveryOrderIsExactNothingIsAllowed) {
  const ExactSum exact = sum_of({3, -1, 0, 2});
  float got = 4;
  EXPECT_TRUE(check_sum(ScalarType::float32, &got, exact, 3, true).right);
  got = std::nextafter(4.0f, 5.0f);
  EXPECT_FALSE(check_sum(ScalarType::float32, &got, exact, 3, true).right);
}

TEST(CheckSum, MeasuresTheErrorOnTheTerms) {
  const ExactSum exact = sum_of({100, -99});  // cancels: condition 199
  float got = 1 + 199 * u;
  const CheckResult result = check_sum(ScalarType::float32, &got, exact, 5, false);
  EXPECT_TRUE(result.right);
  EXPECT_NEAR(result.condition, 199, 1e-9);
  EXPECT_NEAR(result.error, 1, 0.01);
  EXPECT_NEAR(result.ulp, 99.5, 0.6);
}

TEST(CheckSum, IntegersAgreeModuloTheirBits) {
  const ExactSum exact = sum_of({INT32_MAX, 2});
  std::int32_t got = INT32_MIN + 1;
  EXPECT_TRUE(check_sum(ScalarType::int32, &got, exact, 1, false).right);
  ++got;
  const CheckResult wrong = check_sum(ScalarType::int32, &got, exact, 1, false);
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.expected, std::to_string(INT32_MIN + 1));
  EXPECT_EQ(wrong.got, std::to_string(INT32_MIN + 2));
}

TEST(CheckSum, AMeanIsDividedOnce) {
  const ExactSum exact = sum_of({1, 2, 2}, 0, 3);
  float got = 5.0f / 3.0f;
  EXPECT_TRUE(check_sum(ScalarType::float32, &got, exact, 0, false).right);
  got = 2;
  EXPECT_FALSE(check_sum(ScalarType::float32, &got, exact, 2, false).right);
}

TEST(CheckEqual, AdmitsNoRounding) {
  float got = 0.75f;
  EXPECT_TRUE(check_equal(ScalarType::float32, &got, 3, 2).right);
  got = std::nextafter(got, 1.0f);
  EXPECT_FALSE(check_equal(ScalarType::float32, &got, 3, 2).right);
  std::int8_t small = -3;
  EXPECT_TRUE(check_equal(ScalarType::int8, &small, -3, 0).right);
  EXPECT_FALSE(check_equal(ScalarType::int8, &small, 3, 0).right);
}

TEST(CheckElements, NamesTheFirstWrongElementAndTheLargestError) {
  std::vector<float> answer(300000, 2.0f);
  const auto check = [&] {
    return check_elements(ScalarType::float32, answer.data(), static_cast<std::int64_t>(answer.size()), 0,
                          [](std::int64_t first, std::int64_t last, ElementCheck& part) {
                            for (std::int64_t i = first; i < last; ++i) part.near(i, 2, 2, 4);
                          });
  };
  EXPECT_TRUE(check().right);
  EXPECT_EQ(check().error, 0);
  answer[299999] = 2 + 8 * u;
  EXPECT_TRUE(check().right);
  EXPECT_NEAR(check().error, 4, 0.01);
  answer[299998] = 7;
  answer[123456] = 5;
  EXPECT_FALSE(check().right);
  EXPECT_EQ(check().where, "element 123456");
  EXPECT_EQ(check().expected, "2");
  EXPECT_EQ(check().got, "5");
}

TEST(CheckElements, RoundsHalvesToNearestEven) {
  // 2049 lies between 2048 and 2050; 2051 between 2050 and 2052: ties go to the even significand.
  for (const auto& [exact, expected] : {std::pair{2049, 2048.0}, {2051, 2052.0}, {2050, 2050.0}}) {
    std::uint16_t cell = 0;
    store_rounded(&cell, ScalarType::float16, 0, expected);
    ElementCheck check(ScalarType::float16, &cell, 0);
    check.rounded_once(0, exact);
    EXPECT_TRUE(check.result().right) << exact;
    store_rounded(&cell, ScalarType::float16, 0, expected + 2);
    ElementCheck other(ScalarType::float16, &cell, 0);
    other.rounded_once(0, exact);
    EXPECT_FALSE(other.result().right) << exact;
  }
}

}  // namespace
}  // namespace tally
