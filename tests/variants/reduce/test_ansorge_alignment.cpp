/// Wide loads from an array that begins anywhere.
#include <gtest/gtest.h>

#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "tests/variants/family_run.h"

namespace tally {
namespace {

constexpr std::int64_t pack_bytes = 16;

class WideLoads : public ::testing::TestWithParam<ScalarType> {};

TEST_P(WideLoads, TakeAnArrayThatBeginsAnywhere) {
  const Entry& entry = testing::entry_named("reduce/ansorge/reduce7_float4");
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const Tuning small_grid({{"blocks", 3}, {"threads", 64}});
  const auto elements = pack_bytes / static_cast<std::int64_t>(size_of(GetParam()));
  for (std::int64_t shift = 0; shift < elements; ++shift) {
    for (ProblemKey key : testing::problems("reduce", {1, 2, 3, 15, 16, 17, 31, 1000},
                                            {{{"misaligned_by", shift}}}, Distribution::exact)) {
      key.type = GetParam();
      const simt::Session session;
      const auto result = testing::run_exactly(*device, entry, key, small_grid);
      for (const simt::Finding& finding : session.findings()) ADD_FAILURE() << finding.message;
      ASSERT_TRUE(result) << key.id() << " is refused";
      ASSERT_TRUE(result->right) << key.id() << result->where << ": expected " << result->expected << ", got "
                                 << result->got;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, WideLoads, ::testing::ValuesIn(all_scalar_types()),
                         [](const ::testing::TestParamInfo<ScalarType>& type) {
                           return std::string(name_of(type.param));
                         });

}  // namespace
}  // namespace tally
