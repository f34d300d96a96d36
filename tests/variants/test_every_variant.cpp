/// Every variant in the catalog, on the CPU executor: every type that it declares, every value of its
/// family's choices, odd and even sizes, several tunings, against exact answers. A new variant is tested by
/// being there.
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "tests/support/exact_run.h"

namespace tally {
namespace {

const std::vector<std::int64_t> sizes{1, 2, 31, 32, 33, 255, 256, 257, 1000, 4096, 65537};

/// Every type and size with the default tuning; the other tunings with the entry's first type and a few odd
/// sizes, since a grid of a thousand blocks costs the executor the same at any size.
bool is_asked(const Entry& entry, const Tuning& tuning, const ProblemKey& key) {
  if (tuning == entry.default_tuning()) return true;
  return key.type == entry.types.front() && (key.n == 33 || key.n == 257 || key.n == 1000);
}

std::vector<const Entry*> variants_on_simt() {
  std::vector<const Entry*> found = Catalog::instance().entries();
  std::erase_if(found, [](const Entry* entry) {
    return entry->kind != Entry::Kind::variant || !entry->runs_on(DeviceKind::simt) ||
           !entry->known_wrong.empty();
  });
  return found;
}

class EveryVariant : public ::testing::TestWithParam<const Entry*> {};

TEST_P(EveryVariant, GivesTheExactAnswer) {
  const Entry& entry = *GetParam();
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  int runs = 0;
  for (const Tuning& tuning : testing::tunings_of(entry)) {
    for (const ScalarType type : entry.types) {
      for (const ProblemKey& key : testing::problems_of(entry, type, sizes)) {
        if (!is_asked(entry, tuning, key)) continue;
        const std::optional<CheckResult> result = testing::run_exactly(*device, entry, key, tuning);
        if (!result) continue;  // declared: the entry cannot take this problem
        ++runs;
        ASSERT_TRUE(result->right) << key.id() << " " << tuning.text() << " " << name_of(key.distribution)
                                   << " seed " << key.seed << " " << result->where << ": expected "
                                   << result->expected << ", got " << result->got;
      }
    }
  }
  EXPECT_GT(runs, 0) << "every problem was passed over";
}

/// No race, no access out of bounds, no read of what nothing wrote, … with the default tuning: every choice
/// with the first type, at sizes that leave warps, blocks and vectors unfilled, and every other type at one
/// size. (A grid of a thousand blocks is watched for a second at any size.)
TEST_P(EveryVariant, IsCleanUnderAllChecks) {
  if (!simt::counting_available()) GTEST_SKIP() << "kernels are not compiled to be watched: no clang";
  const Entry& entry = *GetParam();
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  int runs = 0;
  std::set<ScalarType> seen;
  for (const ScalarType type : entry.types) {
    const bool is_first = type == entry.types.front();
    for (const ProblemKey& key :
         testing::problems_of(entry, type,
                              is_first ? std::vector<std::int64_t>{33, 1000, 1024, 4097}
                                       : std::vector<std::int64_t>{1000, 1024})) {
      if (key.distribution != Distribution::exact || (!is_first && seen.contains(type))) continue;
      const simt::Session session;
      if (!testing::run_exactly(*device, entry, key, entry.default_tuning())) continue;
      seen.insert(type);
      ++runs;
      for (const simt::Finding& finding : session.findings()) {
        ADD_FAILURE() << key.id() << ": " << finding.message;
      }
      ASSERT_FALSE(HasFailure());
    }
  }
  EXPECT_GT(runs, 0) << "every problem was passed over";
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryVariant, ::testing::ValuesIn(variants_on_simt()),
                         [](const ::testing::TestParamInfo<const Entry*>& entry) {
                           std::string name = entry.param->full_name();
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace tally
