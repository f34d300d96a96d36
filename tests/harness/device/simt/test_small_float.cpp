// __half and __nv_bfloat16 round as IEEE 754 says, checked against exact integers and against all patterns.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "harness/device/simt/half.h"

namespace tally::simt {
namespace {

template <typename Format>
class SmallFloats : public testing::Test {
 public:
  using Small = SmallFloat<Format>;
  static constexpr std::uint16_t infinity = ((1 << Format::exponent_bits) - 1) << Format::fraction_bits;

  /// The finite pattern or infinity nearest to a positive `value`, found by looking at both neighbours.
  static std::uint16_t nearest(double value) {
    std::uint16_t low = 0, high = infinity;
    while (high - low > 1) {
      const auto middle = static_cast<std::uint16_t>((low + high) / 2);
      (small_float_value<Format>(middle) <= value ? low : high) = middle;
    }
    const double below = small_float_value<Format>(low);
    // Infinity stands where the next value would be, as the rounding rule has it.
    const double above = high == infinity ? below + (below - small_float_value<Format>(low - 1))
                                          : double{small_float_value<Format>(high)};
    if (value - below != above - value) return value - below < above - value ? low : high;
    return (low & 1) == 0 ? low : high;
  }
};

using Formats = testing::Types<HalfFormat, Bfloat16Format>;
TYPED_TEST_SUITE(SmallFloats, Formats);

TYPED_TEST(SmallFloats, every_pattern_survives_a_round_trip) {
  using Small = typename TestFixture::Small;
  for (unsigned pattern = 0; pattern < 65536; ++pattern) {
    const Small value = Small::from_bits(static_cast<std::uint16_t>(pattern));
    if (std::isnan(float(value))) {
      EXPECT_TRUE(__hisnan(Small(float(value))));
    } else {
      ASSERT_EQ(Small(float(value)).bits, pattern);
    }
  }
}

TYPED_TEST(SmallFloats, conversions_round_to_nearest_even) {
  using Small = typename TestFixture::Small;
  // Every value, every midpoint between two values, and a hair to both sides of each midpoint.
  for (unsigned pattern = 0; pattern < TestFixture::infinity; ++pattern) {
    const double value = small_float_value<TypeParam>(static_cast<std::uint16_t>(pattern));
    const unsigned next_pattern = pattern + 1;
    const double next =
        next_pattern == TestFixture::infinity
            ? value + (value - small_float_value<TypeParam>(static_cast<std::uint16_t>(pattern - 1)))
            : double{small_float_value<TypeParam>(static_cast<std::uint16_t>(next_pattern))};
    const double middle = value + (next - value) / 2;
    const unsigned even = (pattern & 1) == 0 ? pattern : next_pattern;
    ASSERT_EQ(Small(middle).bits, even);
    ASSERT_EQ(Small(-middle).bits, even | 0x8000u);
    ASSERT_EQ(Small(std::nextafter(middle, 0.0)).bits, pattern);
    ASSERT_EQ(Small(std::nextafter(middle, HUGE_VAL)).bits, next_pattern);
  }
  EXPECT_EQ(Small(1e300).bits, TestFixture::infinity);
  EXPECT_EQ(Small(-HUGE_VAL).bits, TestFixture::infinity | 0x8000u);
  EXPECT_EQ(Small(1e-300).bits, 0);
  EXPECT_TRUE(__hisnan(Small(std::nan(""))));
}

TYPED_TEST(SmallFloats, arithmetic_rounds_once) {
  using Small = typename TestFixture::Small;
  constexpr unsigned seed = 21;
  std::mt19937 generator(seed);
  for (int i = 0; i < 300000; ++i) {
    const auto a = Small::from_bits(static_cast<std::uint16_t>(generator() % TestFixture::infinity));
    const auto b =
        Small::from_bits(static_cast<std::uint16_t>(1 + generator() % (TestFixture::infinity - 1)));
    // Exact in long double: products have 22 bits; quotients and sums are compared with neighbours far apart.
    ASSERT_EQ((a * b).bits, TestFixture::nearest(double{float(a)} * double{float(b)})) << "seed " << seed;
    const double sum = double{float(a)} + double{float(b)};
    if (sum - double{float(a)} == double{float(b)} && sum - double{float(b)} == double{float(a)}) {
      ASSERT_EQ((a + b).bits, TestFixture::nearest(sum)) << "seed " << seed;
    }
  }
}

TEST(Half, fused_multiply_add_rounds_once) {
  constexpr unsigned seed = 22;
  std::mt19937 generator(seed);
  // All in units of 2^-48, exactly.
  const auto units = [](__half value) {
    return static_cast<__int128>(static_cast<long long>(std::ldexp(double{float(value)}, 24)));
  };
  for (int i = 0; i < 300000; ++i) {
    const auto pick = [&] { return __half::from_bits(static_cast<std::uint16_t>(generator() & 0xffff)); };
    __half a = pick(), b = pick(), c = pick();
    if (i % 2 == 0) {  // small odd products beside a large even sum: the hard case
      c = __half::from_bits(static_cast<std::uint16_t>((c.bits & 0x83ff) | (20 << 10)));
      a = __half::from_bits(static_cast<std::uint16_t>((a.bits & 0x83ff) | (9 << 10)));
      b = __half::from_bits(static_cast<std::uint16_t>((b.bits & 0x83ff) | (15 << 10)));
    }
    const auto finite = [](__half v) { return (v.bits & 0x7fff) < 0x7c00; };
    if (!finite(a) || !finite(b) || !finite(c)) continue;
    const __int128 exact = units(a) * units(b) + (units(c) << 24);
    const __int128 magnitude = exact < 0 ? -exact : exact;
    if (magnitude == 0) continue;
    // Neighbours by bisection over patterns, compared in whole units.
    std::uint16_t low = 0, high = 0x7c00;
    const auto at = [&](std::uint16_t pattern) { return units(__half::from_bits(pattern)) << 24; };
    while (high - low > 1) {
      const auto middle = static_cast<std::uint16_t>((low + high) / 2);
      (at(middle) <= magnitude ? low : high) = middle;
    }
    const __int128 below = at(low), above = high == 0x7c00 ? static_cast<__int128>(65536) << 48 : at(high);
    const __int128 to_low = magnitude - below, to_high = above - magnitude;
    const std::uint16_t expected = to_low != to_high ? (to_low < to_high ? low : high)
                                   : (low & 1) == 0  ? low
                                                     : high;
    ASSERT_EQ(__hfma(a, b, c).bits, expected | (exact < 0 ? 0x8000 : 0)) << "seed " << seed << " step " << i;
  }
}

TEST(Half, pairs_work_on_both_halves) {
  const __half2 a = __floats2half2_rn(1.5f, -2.0f), b = __half2half2(__float2half_rn(3.0f));
  EXPECT_EQ(__half22float2(__hadd2(a, b)).x, 4.5f);
  EXPECT_EQ(__half22float2(__hmul2(a, b)).y, -6.0f);
  EXPECT_EQ(__half22float2(__hfma2(a, b, a)).x, 6.0f);
  EXPECT_EQ(__low2float(a), 1.5f);
  EXPECT_EQ(__high2float(a), -2.0f);
  EXPECT_EQ(float(__low2half(__lowhigh2highlow(a))), -2.0f);
  EXPECT_EQ(__half_as_ushort(__int2half_rn(-2)), 0xc000);
  EXPECT_EQ(float(__hmax(__half(std::nan("")), __half(1.0f))), 1.0f);
  EXPECT_EQ(float(__hmin(__half(-1.0f), __half(1.0f))), -1.0f);
  EXPECT_EQ(__bfloat1622float2(__floats2bfloat162_rn(1.0f, 2.0f)).y, 2.0f);
}

}  // namespace
}  // namespace tally::simt
