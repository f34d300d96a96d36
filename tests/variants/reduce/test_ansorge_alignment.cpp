/// Wide loads from an array that begins anywhere.
#include <gtest/gtest.h>

#include <array>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "tests/variants/memory.h"

namespace tally {
namespace {

constexpr std::int64_t pack_bytes = 16;

class WideLoads : public testing::TestWithParam<ScalarType> {};

TEST_P(WideLoads, TakeAnArrayThatBeginsAnywhere) {
  const Entry* entry = Catalog::instance().find("reduce/ansorge/reduce7_float4");
  ASSERT_NE(entry, nullptr);
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const auto element = static_cast<std::int64_t>(size_of(GetParam()));
  const Tuning small_grid({{"blocks", 3}, {"threads", 64}});
  for (std::int64_t shift = 0; shift < pack_bytes / element; ++shift) {
    for (const std::int64_t n : {1, 2, 3, 15, 16, 17, 31, 1000}) {
      const ProblemKey key{"reduce", GetParam(), n, {{"op", std::string("sum")}}, 11, Distribution::exact};
      const std::unique_ptr<Problem> problem = make_problem(key);
      const std::vector<BufferSpec> specs = problem->buffers();
      test::Memory memory(*device);
      auto* whole = static_cast<char*>(memory.buffer((n + shift) * element, "x"));
      Buffers buffers;
      buffers.arrays = {whole + shift * element, memory.buffer(specs[1].bytes(), "out")};
      device->fill(specs[0].input, key.type, buffers.arrays[0]);
      const Implementation* implementation = entry->implementation_for(DeviceKind::simt, *problem);
      ASSERT_NE(implementation, nullptr);
      const Prepared prepared = implementation->prepare(*problem, buffers, small_grid, memory);
      const simt::Session session;
      device->run([&](DeviceQueue& queue) { prepared.call(queue); });
      for (const simt::Finding& finding : session.findings()) ADD_FAILURE() << finding.message;
      const std::array<const void*, 1> outputs{buffers.arrays[1]};
      const CheckResult result = problem->check(outputs, std::nullopt);
      ASSERT_TRUE(result.right) << key.id() << " shifted by " << shift << ": expected " << result.expected
                                << ", got " << result.got;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, WideLoads, testing::ValuesIn(all_scalar_types()),
                         [](const testing::TestParamInfo<ScalarType>& type) {
                           return std::string(name_of(type.param));
                         });

}  // namespace
}  // namespace tally
