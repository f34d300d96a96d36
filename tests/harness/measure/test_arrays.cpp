/// Where the arrays of a problem are, and what is seen of writes beside them.
#include "harness/measure/arrays.h"

#include <gtest/gtest.h>

#include "harness/device/simt/counters.h"

namespace tally {
namespace {

std::unique_ptr<Problem> square(std::int64_t n, std::int64_t misaligned_by) {
  ProblemKey key;
  key.family = "elementwise";
  key.n = n;
  key.knobs = {{"op", std::string("square")}, {"misaligned_by", misaligned_by}};
  return make_problem(key);
}

class Arrays : public ::testing::TestWithParam<DeviceKind> {
 protected:
  std::unique_ptr<Device> device_ = open_device(GetParam(), 0);
};

INSTANTIATE_TEST_SUITE_P(Devices, Arrays, ::testing::Values(DeviceKind::host, DeviceKind::simt),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(Arrays, BeginAsFarAfterAnAlignedAddressAsTheProblemSays) {
  for (const std::int64_t elements : {0, 1, 3, 63}) {
    const auto problem = square(100, elements);
    const ProblemArrays arrays(*device_, *problem, false);
    for (const void* array : arrays.buffers().arrays) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 256, static_cast<std::uintptr_t>(4 * elements));
    }
  }
}

TEST_P(Arrays, HoldTheSameValuesWhereverTheyBegin) {
  const auto problem = square(100, 0);
  const auto moved = square(100, 5);
  ProblemArrays arrays(*device_, *problem, false);
  ProblemArrays moved_arrays(*device_, *moved, false);
  arrays.fill_inputs(*problem);
  moved_arrays.fill_inputs(*moved);
  const auto* x = arrays.buffers().array<float>(0);
  EXPECT_TRUE(std::equal(x, x + 100, moved_arrays.buffers().array<float>(0)));
  EXPECT_FALSE(moved_arrays.changed_input());
}

TEST_P(Arrays, AWriteIntoWhatMisalignsAnArrayIsSeen) {
  for (const std::int64_t before : {1, 5}) {
    const auto problem = square(100, 5);
    ProblemArrays arrays(*device_, *problem, false);
    arrays.fill_inputs(*problem);
    EXPECT_FALSE(arrays.damage());
    arrays.buffers().array<float>(1)[-before] = 0;
    EXPECT_EQ(arrays.damage(),
              "wrote out of bounds: byte " + std::to_string(4 * before) + " before the start of out");
  }
}

}  // namespace
}  // namespace tally
