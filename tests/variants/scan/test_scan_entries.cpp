#include "tests/variants/family_run.h"

namespace tally {
namespace {

const std::vector<Knobs> kinds{{{"kind", std::string("inclusive")}}, {{"kind", std::string("exclusive")}}};

TEST(ScanEntries, AreRightRoundTheirTiles) {
  testing::run_family(
      testing::problems("scan", {1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 50021}, kinds));
  testing::run_family(testing::problems("scan", {1, 33, 1024, 8191, 40009}, kinds, Distribution::mixed_sign));
  testing::run_family(testing::problems("scan", {1, 33, 1024, 8191, 40009}, kinds, Distribution::exact));
}

// More tiles than one warp looks back over at once, more groups of tiles than are looked back over, and more
// sums of tiles than one tile holds.
TEST(ScanEntries, LookBackOverManyTiles) {
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  for (const char* name : {"ladder/decoupled_look_back", "ladder/three_kernels", "hopper/fixed_look_back"}) {
    const Entry& entry = testing::entry_named("scan/" + std::string(name));
    for (ProblemKey key : testing::problems("scan", {70001}, kinds, Distribution::exact)) {
      const Tuning small({{"threads", 32}});
      const auto result = testing::run_exactly(*device, entry, key, small);
      ASSERT_TRUE(result.has_value());
      EXPECT_TRUE(result->right) << name << " " << result->where << " " << result->expected << " "
                                 << result->got;
    }
  }
}

TEST(ScanEntries, OneBlockRefusesMoreThanItHolds) {
  const auto reason = [](const std::string& name, std::int64_t n) {
    const Entry& entry = testing::entry_named("scan/ladder/" + name);
    return entry.cannot_take(testing::problems("scan", {n}, kinds).front(), entry.default_tuning())
        .value_or("");
  };
  EXPECT_EQ(reason("hillis_steele", 1024), "");
  EXPECT_EQ(reason("hillis_steele", 1025), "needs n of at most its threads");
  EXPECT_EQ(reason("blelloch", 2048), "");
  EXPECT_EQ(reason("blelloch", 2049), "needs n of at most twice its threads");
  EXPECT_EQ(reason("blelloch_padded", 2049), "needs n of at most twice its threads");
  EXPECT_EQ(reason("three_kernels", 1 << 28), "");
}

}  // namespace
}  // namespace tally
