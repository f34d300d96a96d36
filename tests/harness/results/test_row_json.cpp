#include <gtest/gtest.h>

#include <limits>

#include "harness/results/row_json.h"
#include "tests/harness/results/example_row.h"

namespace tally {
namespace {

using testing::example_row;

TEST(RowJson, HasWhatGoogleBenchmarksReadersNeed) {
  const Json json = to_json(example_row());
  EXPECT_EQ(json.at("run_type"), "iteration");
  EXPECT_EQ(json.at("run_name"), json.at("name"));
  EXPECT_EQ(json.at("iterations"), 3);
  EXPECT_EQ(json.at("time_unit"), "ns");
  EXPECT_DOUBLE_EQ(json.at("real_time").get<double>(), 4500);
  EXPECT_DOUBLE_EQ(json.at("bytes_per_second").get<double>(), 4100 / 4.5e-6);
  EXPECT_FALSE(json.contains("label"));
}

TEST(RowJson, IsTheSameAfterThereAndBack) {
  const Json once = to_json(example_row());
  const Json twice = to_json(row_from_json(Json::parse(once.dump())));
  EXPECT_EQ(once.dump(1), twice.dump(1));
}

TEST(RowJson, WritesAHashAsAllItsDigits) {
  const Json json = to_json(KernelCode{.file = "variants/a.cu", .registers = 24, .code_hash = 0xabc});
  EXPECT_EQ(json.at("code_hash"), "0000000000000abc");
  EXPECT_EQ(json.at("registers"), 24);
}

TEST(RowJson, LeavesOutWhatDoesNotApplyAndWhatIsNotFinite) {
  Row row = example_row();
  row.stage.reset();
  row.baseline = true;
  row.interval.reset();
  row.ceiling.reset();
  row.clocks.reset();
  row.ratios.clear();
  row.counters = {{"bad", std::numeric_limits<double>::infinity()}};
  row.check.ulp = std::numeric_limits<double>::quiet_NaN();
  const Json json = to_json(row);
  for (const char* key : {"stage", "ci", "ceiling", "clocks", "ratios"}) {
    EXPECT_FALSE(json.at("tally").contains(key)) << key;
  }
  EXPECT_EQ(json.dump().find("null"), std::string::npos) << json.dump(1);
}

TEST(RowJson, SaysThatTheExecutorsTimeIsNotAGpus) {
  Row row = example_row();
  row.device = DeviceKind::simt;
  EXPECT_EQ(to_json(row).at("label"), "simt: executor's own time, not a GPU's");
}

TEST(RowJson, FailuresAndTurnsComeBackToo) {
  const Failure failure{"cell", "entry", "problem", Failure::Status::timed_out, "why"};
  EXPECT_EQ(to_json(failure_from_json(to_json(failure))), to_json(failure));
  Turn turn;
  turn.round = 3;
  turn.batch = 2;
  turn.samples = {1e-6, 2e-6};
  turn.throttled = true;
  EXPECT_EQ(to_json(turn_from_json(to_json(turn))), to_json(turn));
}

}  // namespace
}  // namespace tally
