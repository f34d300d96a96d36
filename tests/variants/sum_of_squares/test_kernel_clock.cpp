/// What the kernels' own clock makes of the notes of its blocks.
#include <gtest/gtest.h>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/measure/arrays.h"
#include "variants/sum_of_squares/kernel_clock.h"

namespace tally {
namespace {

TEST(KernelClock, OneBlockCountsItsOwnCycles) {
  const auto counters = counters_of({{.start_nanoseconds = 1000,
                                      .start_cycles = 5'000'000,
                                      .end_nanoseconds = 2000,
                                      .end_cycles = 5'001'234}});
  EXPECT_EQ(counters.at("kernel_cycles"), 1234);
  EXPECT_EQ(counters.at("kernel_cycles_resolution"), 1);
}

TEST(KernelClock, ManyBlocksSpanFromTheEarliestStartToTheLatestEnd) {
  // Cycle counters of different multiprocessors have nothing to do with one another. 1.5 cycles a nanosecond.
  const auto counters = counters_of({{1064, 900, 3064, 900 + 3000}, {1000, 7'000'000, 2984, 7'002'976}});
  EXPECT_DOUBLE_EQ(counters.at("kernel_cycles"), (3064 - 1000) * 1.5);
  EXPECT_DOUBLE_EQ(counters.at("kernel_cycles_resolution"), 64 * 1.5);
}

TEST(KernelClock, NotesOfTheSameMomentDoNotPassForAFineClock) {
  const auto counters = counters_of({{1024, 0, 2048, 1024}, {1024, 0, 3072, 2048}, {1024, 0, 2048, 1024}});
  EXPECT_DOUBLE_EQ(counters.at("kernel_cycles"), 2048);
  EXPECT_DOUBLE_EQ(counters.at("kernel_cycles_resolution"), 1024);
}

TEST(KernelClock, ATimerThatDidNotMoveSaysNothing) {
  EXPECT_TRUE(counters_of({{1024, 0, 1024, 500}, {1024, 0, 1024, 400}}).empty());
}

TEST(KernelClock, EveryStageHandsOutItsCyclesAfterACallAndNotBefore) {
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  const ProblemKey key{"sum_of_squares", ScalarType::int32, 100'000, {}, 3, Distribution::uniform};
  const std::unique_ptr<Problem> problem = make_problem(key);
  const auto series = Catalog::instance().series("sum_of_squares", "geforce_8800gt");
  ASSERT_EQ(series.size(), 9);
  for (const Entry* entry : series) {
    ProblemArrays arrays(*device, *problem, true);
    arrays.fill_inputs(*problem);
    GuardedScratch scratch(*device, entry->full_name());
    const Implementation* implementation = entry->implementation_for(DeviceKind::simt, *problem);
    ASSERT_NE(implementation, nullptr) << entry->full_name();
    const Prepared prepared =
        implementation->prepare(*problem, arrays.buffers(), entry->default_tuning(), scratch);
    ASSERT_TRUE(prepared.counters) << entry->full_name();
    EXPECT_TRUE(prepared.counters().empty()) << entry->full_name();
    device->run([&](DeviceQueue& queue) { prepared.call(queue); });
    const auto counters = prepared.counters();
    EXPECT_GT(counters.at("kernel_cycles"), 0) << entry->full_name();
    EXPECT_GE(counters.at("kernel_cycles_resolution"), 1) << entry->full_name();
  }
}

}  // namespace
}  // namespace tally
