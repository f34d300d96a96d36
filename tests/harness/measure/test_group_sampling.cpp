// One group: how its cells are timed, stopped and gone on with.
#include "tests/harness/measure/group_test.h"

namespace tally {
namespace {

using testing::fake_entry;
using testing::FakeDevice;
using testing::FakeQueue;
using testing::GroupTest;
using testing::right_entry;
using testing::right_sum;

TEST_F(GroupTest, EndToEndAddsTheWayToTheHostAndWarmShortCallsAreBatched) {
  const Entry& entry = *entries.emplace_back(std::make_unique<Entry>(right_entry("short", 2e-6)));
  add_cell(entry, CacheState::warm, Clock::device);
  add_cell(entry, CacheState::cold, Clock::end_to_end);
  run();
  ASSERT_EQ(seen.rows.size(), 2u);
  EXPECT_EQ(seen.rows.at("reduce/fake/short warm").batch, 26);
  EXPECT_NEAR(seen.rows.at("reduce/fake/short warm").median, 2e-6, 1e-12);
  EXPECT_EQ(seen.rows.at("reduce/fake/short end_to_end").batch, 1);
  EXPECT_NEAR(seen.rows.at("reduce/fake/short end_to_end").median, 7e-6, 1e-12);
}

TEST_F(GroupTest, TheClockGraphRecordsTheCallOnceAndTimesItsReplays) {
  const Entry& entry = *entries.emplace_back(std::make_unique<Entry>(right_entry("short", 1e-3)));
  add_cell(entry, CacheState::cold, Clock::device);
  add_cell(entry, CacheState::cold, Clock::graph);
  run();
  ASSERT_EQ(seen.rows.size(), 2u);
  EXPECT_NEAR(seen.rows.at("reduce/fake/short graph").median, 1e-3, 1e-9);
  EXPECT_EQ(device.recordings, 1);
  const auto samples = seen.rows.at("reduce/fake/short graph").series_of_samples.samples.size();
  EXPECT_GE(device.replays, static_cast<int>(samples));
  EXPECT_LT(device.replays, static_cast<int>(samples) + 10) << "calls of the other clock are not replays";
  for (const SampleRequest& request : device.requests) EXPECT_TRUE(request.hold);
}

TEST_F(GroupTest, AReplayWithAWrongAnswerIsNotTimed) {
  device.replays_do_nothing = true;
  add(right_entry("short", 1e-3), CacheState::cold, Clock::graph);
  EXPECT_EQ(run(), GroupOutcome::spoilt);
  EXPECT_TRUE(seen.rows.empty());
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_NE(seen.failures[0].reason.find("replayed as a graph: n = 4096"), std::string::npos)
      << seen.failures[0].reason;
}

TEST_F(GroupTest, EntriesThatSynchroniseAreNotHeldBack) {
  Entry waits = right_entry("waits", 1e-3);
  waits.synchronises = true;
  add(std::move(waits));
  run();
  ASSERT_FALSE(device.requests.empty());
  for (const SampleRequest& request : device.requests) EXPECT_FALSE(request.hold);
}

TEST_F(GroupTest, ThrottledSamplesAreTakenAgainAndMarkedWhereTimeRunsOut) {
  ClockReading hot;
  hot.throttled = true;
  ClockReading cool;
  device.readings = {hot, hot, cool};
  add(right_entry("right", 1e-3));
  run();
  ASSERT_EQ(seen.rows.size(), 1u);
  EXPECT_FALSE(seen.rows.begin()->second.clocks->throttled);

  seen = {};
  device.readings = {hot};
  settings.max_seconds = 1e-9;
  run();
  ASSERT_EQ(seen.rows.size(), 1u);
  EXPECT_TRUE(seen.rows.begin()->second.clocks->throttled);
}

TEST_F(GroupTest, StopsWithTheCellInProgressAndGoesOnFromItsTurns) {
  add(right_entry("one", 1e-3));
  add(right_entry("two", 2e-3));
  add(right_entry("three", 3e-3));
  group.baselines = {"reduce/fake/two"};
  run();
  const auto whole = seen;
  for (int stop = 0; stop < whole.total_turns(); ++stop) {
    seen = {};
    seen.stop_after = stop;
    before.clear();
    done.clear();
    EXPECT_EQ(run(), GroupOutcome::stopped);
    const auto first = seen;
    before = first.turns;
    for (const auto& [name, row] : first.rows) done.insert(row.name);
    seen = {};
    EXPECT_EQ(run(), GroupOutcome::done);
    EXPECT_EQ(first.rows.size() + seen.rows.size(), 3u) << "stopped after turn " << stop;
    for (const auto& [name, row] : seen.rows) {
      EXPECT_EQ(row.ratios.size(), whole.rows.at(name).ratios.size()) << name << " after " << stop;
    }
    for (const auto& [name, row] : first.rows) {
      EXPECT_EQ(row.ratios.size(), whole.rows.at(name).ratios.size()) << name << " after " << stop;
    }
  }
}

class SimtGroupTest : public GroupTest {
 protected:
  SimtGroupTest() : simt(DeviceKind::simt) {}
  FakeDevice simt;
};

TEST_F(SimtGroupTest, OneSampleAndTheCountsOfOneCall) {
  entries.push_back(std::make_unique<Entry>(fake_entry(
      "counted",
      [this](const auto& problem, FakeQueue& queue) {
        right_sum(problem, queue, 1e-3);
        simt.counters["launches"] += 1;
      },
      DeviceKind::simt)));
  group.cells.push_back(
      {entries[0].get(), group.problem, {}, CacheState::cold, Clock::device, DeviceKind::simt});
  Checker checker(check, {{DeviceKind::simt, 31}});
  GroupOrder order;
  order.group = &group;
  order.cells = {0};
  const GroupContext context{settings, checker, [this](DeviceKind) -> Device& { return simt; }, {}};
  EXPECT_EQ(measure_group(order, context, seen), GroupOutcome::done);
  ASSERT_EQ(seen.rows.size(), 1u);
  const Row& row = seen.rows.begin()->second;
  EXPECT_EQ(row.series_of_samples.samples.size(), 1u);
  EXPECT_EQ(row.counters.at("launches"), 1);
  EXPECT_FALSE(row.interval);
  for (const std::string& line : seen.log) EXPECT_EQ(line.find("n = 1000,"), std::string::npos) << "capped";
}

}  // namespace
}  // namespace tally
