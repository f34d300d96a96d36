#include "harness/problems/exact.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

TEST(OnAllCores, VisitsEveryIndexOnce) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000003}}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    on_all_cores(count, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const std::atomic<int>& visit : visits) ASSERT_EQ(visit, 1);
  }
}

TEST(Moments, KeepSumsThatNoDoubleHolds) {
  const Int128 large = Int128{1} << 100;
  const Moments moments = moments_of(3, [&](std::int64_t i) {
    return i == 0 ? large : i == 1 ? Int128{1} : -large;
  });
  EXPECT_EQ(static_cast<std::int64_t>(moments.sum), 1);
  EXPECT_TRUE(moments.sum_of_magnitudes == 2 * large + 1);
}

TEST(Moments, OfAnInputAreThoseOfItsIntegers) {
  const InputSpec spec =
      values_input(ScalarType::float64, Distribution::mixed_sign, testing::printed_seed(), 300001, 53);
  Moments expected;
  for (std::int64_t i = 0; i < spec.count; ++i) expected.add(Int128{integer_at(spec, i)});
  for (int time = 0; time < 2; ++time) {  // computed, then remembered
    const Moments moments = input_moments(spec);
    EXPECT_TRUE(moments.sum == expected.sum);
    EXPECT_TRUE(moments.sum_of_magnitudes == expected.sum_of_magnitudes);
    EXPECT_EQ(moments.smallest, expected.smallest);
    EXPECT_EQ(moments.largest, expected.largest);
  }
}

TEST(Moments, RememberedAnswersAreToldApart) {
  InputSpec spec =
      values_input(ScalarType::float32, Distribution::uniform, testing::printed_seed(), 1000, 24);
  const Moments plain = input_moments(spec);
  spec.offset = 1;
  EXPECT_TRUE(input_moments(spec).sum == plain.sum + 1000);
  spec.offset = 0;
  spec.period = 10;
  EXPECT_FALSE(input_moments(spec).sum == plain.sum);
  InputSpec ones;
  ones.count = 1000;
  ones.offset = 1;
  EXPECT_TRUE(product_moments(spec, ones).sum == input_moments(spec).sum);
  const Moments squares = square_moments(spec);
  EXPECT_TRUE(squares.sum == product_moments(spec, spec).sum);
  EXPECT_EQ(squares.largest, product_moments(spec, spec).largest);
  spec.period = 0;
  EXPECT_TRUE(product_moments(spec, ones).sum == plain.sum);
  EXPECT_FALSE(square_moments(spec).sum == squares.sum);
}

TEST(Scaled, RoundsOnce) {
  // 2^80 + 2^27 + 1: the 64 bits of a long double lose the last 1 and leave a tie, which the true value is
  // not.
  const Int128 value = (Int128{1} << 80) + (Int128{1} << 27) + 1;
  EXPECT_EQ(scaled(value, 0), std::ldexp(1.0, 80) + std::ldexp(1.0, 28));
  EXPECT_EQ(scaled(-value, 80), -(1 + std::ldexp(1.0, -52)));
  EXPECT_EQ(scaled(3, 1), 1.5);
}

TEST(Distance, IsTakenBeforeRounding) {
  const Int128 value = (Int128{1} << 60) + 1;
  EXPECT_EQ(distance(std::ldexp(1.0, 60), value, 0), 1);
  EXPECT_EQ(distance(1.0, value, 60), std::ldexp(1.0, -60));
}

}  // namespace
}  // namespace tally
