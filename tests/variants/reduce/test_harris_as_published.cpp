/// The course's mistakes must be seen: checks that let them pass would let ours pass too.
#include <gtest/gtest.h>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "tests/support/exact_run.h"

namespace tally {
namespace {

const Entry& entry_named(const std::string& name) {
  const Entry* entry = Catalog::instance().find(name);
  if (entry == nullptr) throw std::out_of_range(name + " is not in the catalog");
  return *entry;
}

TEST(HarrisAsPublished, BothAreMarkedKnownWrong) {
  EXPECT_FALSE(entry_named("reduce/harris/v1_as_published").known_wrong.empty());
  EXPECT_FALSE(entry_named("reduce/harris/v4_as_published").known_wrong.empty());
}

TEST(HarrisAsPublished, TheCheckCatchesVersion1) {
  const Entry& entry = entry_named("reduce/harris/v1_as_published");
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  for (const ScalarType type : entry.types) {
    for (const std::string op : {"sum", "mean"}) {
      for (const std::int64_t n : {33, 256, 1000, 65537}) {
        const ProblemKey key{"reduce", type, n, {{"op", op}}, 7, Distribution::uniform};
        const auto result = testing::run_exactly(*device, entry, key, entry.default_tuning());
        ASSERT_TRUE(result.has_value()) << key.id();
        EXPECT_FALSE(result->right) << key.id() << ": " << result->got;
      }
    }
  }
}

TEST(HarrisAsPublished, TheRepairedVersion1IsRightOnTheSameProblems) {
  const Entry& entry = entry_named("reduce/harris/v1");
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  for (const std::int64_t n : {33, 256, 1000, 65537}) {
    const ProblemKey key{"reduce", ScalarType::float32,  n, {{"op", std::string("sum")}},
                         7,        Distribution::uniform};
    const auto result = testing::run_exactly(*device, entry, key, entry.default_tuning());
    ASSERT_TRUE(result.has_value()) << key.id();
    EXPECT_TRUE(result->right) << key.id() << ": expected " << result->expected << ", got " << result->got;
  }
}

std::vector<simt::Finding> findings_of(const std::string& name) {
  const Entry& entry = entry_named(name);
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const ProblemKey key{"reduce", ScalarType::float32,  1000, {{"op", std::string("sum")}},
                       7,        Distribution::uniform};
  const simt::Session session;
  testing::run_exactly(*device, entry, key, entry.default_tuning());
  return session.findings();
}

TEST(HarrisAsPublished, BothRacesAreReportedWhereTheyAre) {
  if (!simt::counting_available()) GTEST_SKIP() << "kernels are not compiled to be watched";
  for (const std::string name : {"reduce/harris/v1_as_published", "reduce/harris/v4_as_published"}) {
    const std::vector<simt::Finding> findings = findings_of(name);
    ASSERT_FALSE(findings.empty()) << name;
    for (const simt::Finding& finding : findings) {
      EXPECT_EQ(finding.kind, simt::FindingKind::shared_race) << finding.message;
      EXPECT_TRUE(finding.file.ends_with("harris_as_published.cu")) << finding.message;
      EXPECT_GT(finding.line, 0) << finding.message;
    }
  }
}

TEST(HarrisAsPublished, TheRepairedOnesDoNotRace) {
  for (const std::string name :
       {"reduce/harris/v1", "reduce/harris/v4", "reduce/harris/v5", "reduce/harris/v6"}) {
    for (const simt::Finding& finding : findings_of(name)) ADD_FAILURE() << finding.message;
  }
}

/// The stages of the ladder, as they are taught, without the two that are known wrong.
TEST(HarrisAsPublished, TheWrongOnesDoNotStandAmongTheStages) {
  std::vector<std::string> names;
  for (const Entry* entry : Catalog::instance().series("reduce", "harris")) names.push_back(entry->name);
  const std::vector<std::string> taught{"v0", "v1", "v2", "v3", "v4", "v5", "v6"};
  ASSERT_GE(names.size(), taught.size());
  EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 7), taught);
}

}  // namespace
}  // namespace tally
