/// An array that begins anywhere. The executor stops at a wide access whose address is no multiple of it.
#include "harness/device/simt/counters.h"
#include "tests/variants/family_run.h"

namespace tally {
namespace {

Knobs misaligned_by(std::int64_t elements, const char* op) {
  return {{"op", std::string(op)}, {"misaligned_by", elements}};
}

TEST(ReduceEntries, AreRightWhereTheArrayIsNotAligned) {
  std::vector<Knobs> ops;
  for (const char* op : {"sum", "min", "max", "mean"}) ops.push_back(misaligned_by(1, op));
  std::vector<ProblemKey> keys = testing::problems("reduce", {33}, ops, Distribution::mixed_sign);
  for (const std::int64_t elements : {1, 3, 8, 63}) {
    const auto more =
        testing::problems("reduce", {1, 1003}, {misaligned_by(elements, "sum")}, Distribution::exact);
    keys.insert(keys.end(), more.begin(), more.end());
  }
  testing::run_family(keys);
}

TEST(ReduceEntries, AreCleanUnderAllChecksWhereTheArrayIsNotAligned) {
  if (!simt::counting_available()) GTEST_SKIP() << "kernels are not compiled to be watched: no clang";
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const auto keys = testing::problems("reduce", {33, 1003}, {misaligned_by(1, "sum")});
  for (const Entry* entry : Catalog::instance().matching("reduce/*")) {
    if (!entry->runs_on(DeviceKind::simt) || !entry->known_wrong.empty()) continue;
    for (const ScalarType type : {ScalarType::float32, ScalarType::int8}) {
      for (ProblemKey key : keys) {
        key.type = type;
        const simt::Session session;
        testing::run_exactly(*device, *entry, key, entry->default_tuning());
        for (const simt::Finding& finding : session.findings()) {
          ADD_FAILURE() << entry->full_name() << " " << key.id() << ": " << finding.message;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tally
