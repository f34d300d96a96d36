#include "tests/variants/family_run.h"

namespace tally {
namespace {

std::vector<Knobs> taps(const std::vector<std::int64_t>& counts) {
  std::vector<Knobs> all;
  for (const std::int64_t count : counts) all.push_back({{"taps", count}});
  return all;
}

TEST(ConvolveEntries, AreRightForFewAndManyTaps) {
  testing::run_family(testing::problems("convolve", {1, 255, 257, 2003}, taps({1, 2, 3, 31, 32, 100})));
  testing::run_family(testing::problems("convolve", {1, 257, 2003}, taps({3, 64}), Distribution::mixed_sign));
  testing::run_family(testing::problems("convolve", {1, 257, 2003}, taps({3, 64}), Distribution::exact));
}

TEST(ConvolveEntries, AreRightForMoreTapsThanSignal) {
  testing::run_family(testing::problems("convolve", {1, 5, 63}, taps({64, 1000, 4096})));
}

/// 2,048 taps fit a transform; three numbers of taps that need two, two and three of them.
TEST(ConvolveEntries, TapsInSeveralPartitionsAreAddedUp) {
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const Entry& entry = testing::entry_named("convolve/hopper/partitioned_taps");
  std::vector<ProblemKey> keys = testing::problems("convolve", {9001}, taps({2049, 4096, 4099}));
  keys.push_back(testing::problems("convolve", {2500}, taps({6001})).front());
  for (const ScalarType type : entry.types) {
    for (ProblemKey key : keys) {
      key.type = type;
      const auto result = testing::run_exactly(*device, entry, key, entry.default_tuning());
      ASSERT_TRUE(result) << key.id() << " was not taken";
      EXPECT_TRUE(result->right) << key.id() << " " << result->where << ": expected " << result->expected
                                 << ", got " << result->got;
    }
  }
}

TEST(ConvolveEntries, TapsThatDoNotFitConstantMemoryAreSkipped) {
  const Entry& entry = testing::entry_named("convolve/direct/constant_taps");
  const auto takes = [&](ScalarType type, std::int64_t count) {
    ProblemKey key = testing::problems("convolve", {10000}, taps({count})).front();
    key.type = type;
    return !entry.cannot_take(key, entry.default_tuning()).has_value();
  };
  EXPECT_TRUE(takes(ScalarType::float32, 8192));
  EXPECT_FALSE(takes(ScalarType::float32, 8193));
  EXPECT_TRUE(takes(ScalarType::float64, 4096));
  EXPECT_FALSE(takes(ScalarType::float64, 4097));
}

}  // namespace
}  // namespace tally
