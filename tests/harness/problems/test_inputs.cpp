#include "harness/problems/inputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::printed_seed;

constexpr std::int64_t count = 5003;

class EveryInput : public ::testing::TestWithParam<std::tuple<ScalarType, Distribution>> {};

TEST_P(EveryInput, IsExactInItsType) {
  const auto [type, distribution] = GetParam();
  const InputSpec spec = values_input(type, distribution, printed_seed(), count, precision_bits(type));
  std::vector<char> array(static_cast<std::size_t>(count) * size_of(type));
  fill(spec, type, array.data());
  for (std::int64_t i = 0; i < count; ++i) {
    const double expected = std::ldexp(static_cast<double>(integer_at(spec, i)), -spec.fraction_bits);
    ASSERT_EQ(load_as_double(array.data(), type, i), expected) << i;
  }
}

TEST_P(EveryInput, KeepsWhatItsDistributionPromises) {
  const auto [type, distribution] = GetParam();
  const InputSpec spec = values_input(type, distribution, printed_seed(), count, 11);
  std::int64_t sum_of_magnitudes = 0;
  int negative = 0;
  int zero = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t value = integer_at(spec, i);
    sum_of_magnitudes += std::abs(value);
    negative += value < 0 ? 1 : 0;
    zero += value == 0 ? 1 : 0;
  }
  const bool is_signed = distribution == Distribution::mixed_sign ||
                         distribution == Distribution::cancelling || distribution == Distribution::exact;
  EXPECT_EQ(negative > 0, is_signed);
  if (distribution == Distribution::exact) {
    EXPECT_LE(sum_of_magnitudes, 1 << 11);
  } else if (distribution == Distribution::wide_exponents) {
    EXPECT_EQ(zero, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, EveryInput,
    ::testing::Combine(::testing::ValuesIn(all_scalar_types().begin(), all_scalar_types().end()),
                       ::testing::ValuesIn(all_distributions().begin(), all_distributions().end())));

TEST(Inputs, AreAFunctionOfSeedAndIndex) {
  const InputSpec one = values_input(ScalarType::float32, Distribution::uniform, 1, count, 24);
  const InputSpec other = values_input(ScalarType::float32, Distribution::uniform, 2, count, 24);
  int same = 0;
  for (std::int64_t i = 0; i < count; ++i) same += integer_at(one, i) == integer_at(other, i) ? 1 : 0;
  EXPECT_LT(same, 10);
  std::vector<float> whole(count);
  std::vector<float> part(count);
  fill(one, ScalarType::float32, whole.data());
  fill_range(one, ScalarType::float32, part.data(), 1000, 1010);
  for (std::size_t i = 1000; i < 1010; ++i) EXPECT_EQ(part[i], whole[i]);
}

TEST(Inputs, CancellingNeighboursLeaveNextToNothing) {
  const InputSpec spec =
      values_input(ScalarType::float32, Distribution::cancelling, printed_seed(), count, 24);
  for (std::int64_t i = 0; i + 1 < count; i += 2)
    EXPECT_LE(std::abs(integer_at(spec, i) + integer_at(spec, i + 1)), 1);
}

TEST(Inputs, APeriodRepeatsAndAnOffsetRaises) {
  InputSpec spec = values_input(ScalarType::float32, Distribution::uniform, printed_seed(), count, 24);
  const std::int64_t first = integer_at(spec, 3);
  spec.period = 31;
  spec.offset = 5;
  EXPECT_EQ(integer_at(spec, 3), first + 5);
  EXPECT_EQ(integer_at(spec, 3 + 31 * 40), first + 5);
  std::set<std::int64_t> values;
  for (std::int64_t i = 0; i < count; ++i) values.insert(integer_at(spec, i));
  EXPECT_LE(values.size(), 31u);
  EXPECT_GE(values.size(), 25u);
}

TEST(Inputs, IndicesAreInRangeAndAsDistinctAsAsked) {
  for (const std::int64_t positions : {1, 2, 100, 5003, 1 << 20}) {
    for (const std::int64_t distinct : {1, 7, 5003}) {
      const InputSpec spec = indices_input(printed_seed(), count, positions, distinct);
      std::set<std::int64_t> seen;
      bool in_order = true;
      std::int64_t before = -1;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t index = integer_at(spec, i);
        ASSERT_GE(index, 0);
        ASSERT_LT(index, positions);
        seen.insert(index);
        in_order = in_order && index >= before;
        before = index;
      }
      EXPECT_EQ(static_cast<std::int64_t>(seen.size()), std::min({positions, distinct, count}));
      EXPECT_TRUE(!in_order || seen.size() <= 2) << positions << " " << distinct;
    }
  }
}

}  // namespace
}  // namespace tally
