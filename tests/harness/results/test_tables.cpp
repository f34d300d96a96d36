#include <gtest/gtest.h>

#include "harness/results/ladder.h"
#include "harness/results/progress.h"
#include "harness/results/tables.h"
#include "harness/results/text_table.h"

namespace tally {
namespace {

/// A row of reduce, float32, n = 2^20, cold, on a GPU.
Row row_of(const std::string& series, const std::string& name, double median) {
  Row row;
  row.family = "reduce";
  row.series = series;
  row.entry = "reduce/" + series + "/" + name;
  row.name = row.entry + "/op:sum/type:float32/n:1048576/cold/device";
  row.problem = "reduce/op:sum/type:float32/n:1048576";
  row.n = 1 << 20;
  row.knobs = {{"op", std::string("sum")}};
  row.device = DeviceKind::cuda;
  row.bytes = 4 * 1048576.0 + 4;
  row.median = median;
  row.interval = Interval{median * 0.999, median * 1.001};
  row.ceiling = CeilingFigures{"hbm_read", 4e-6, 4e-6 / median, false};
  row.check.ulp = 0.5;
  return row;
}

std::vector<Row> three_stages() {
  std::vector<Row> rows{row_of("course", "reduce0", 64e-6), row_of("course", "reduce1", 16e-6),
                        row_of("course", "reduce2", 8e-6), row_of("cub", "sum", 8e-6)};
  rows[0].published = {{"RTX 2070", 1 << 24, ScalarType::float32, 0.643, "ms"},
                       {"RTX 3080", 1 << 20, ScalarType::float32, 0.1, "ms"}};
  for (int stage = 0; stage < 3; ++stage) {
    Row& row = rows[static_cast<std::size_t>(stage)];
    row.stage = stage;
    row.ratios["reduce/cub/sum"] = {8e-6 / row.median, std::nullopt};
    if (stage > 0) row.follows = "reduce/course/reduce" + std::to_string(stage - 1);
  }
  rows[3].baseline = true;
  return rows;
}

TEST(Tables, OneAProblemWithWhatAReaderAsks) {
  EXPECT_EQ(tables_of(three_stages()), R"(
reduce, op sum, float32, n = 1,048,576: cold, device clock
  entry             median     ±   GB/s  of ceiling  vs cub/sum  ulp
  ------------------------------------------------------------------
  course/reduce0  64.00 µs  0.1%   65.5        6.2%       0.12×  0.5
  course/reduce1  16.00 µs  0.1%  262.1       25.0%       0.50×  0.5
  course/reduce2   8.00 µs  0.1%  524.3       50.0%       1.00×  0.5
  cub/sum          8.00 µs  0.1%  524.3       50.0%           1  0.5
)");
}

TEST(Tables, MarksAreExplainedWhereTheyStand) {
  std::vector<Row> rows{row_of("cub", "sum", 8e-6), row_of("thrust", "reduce", 3e-6)};
  rows[1].like_for_like = false;
  rows[1].ceiling->above = true;
  rows[1].clocks = ClockReading{};
  rows[1].clocks->throttled = true;
  const std::string text = tables_of(rows);
  EXPECT_NE(text.find("thrust/reduce *!~"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  * ends with the answer on the host"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  ! faster than the measured ceiling"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  ~ the clocks were throttled"), std::string::npos) << text;
}

TEST(Tables, TuningsAreNamedWhereAnEntryHasSeveral) {
  std::vector<Row> rows{row_of("course", "reduce2", 8e-6), row_of("course", "reduce2", 9e-6),
                        row_of("course", "reduce3", 9e-6)};
  rows[0].tuning = Tuning({{"threads", 128}});
  rows[1].tuning = Tuning({{"threads", 256}});
  rows[1].name += "other";
  rows[2].tuning = Tuning({{"threads", 256}});
  const std::string text = tables_of(rows);
  EXPECT_NE(text.find("course/reduce2 threads:128 "), std::string::npos) << text;
  EXPECT_NE(text.find("course/reduce2 threads:256 "), std::string::npos) << text;
  EXPECT_EQ(text.find("course/reduce3 threads"), std::string::npos) << text;
}

TEST(Tables, RepetitionsAreOneLineWithTheGeometricMeanOfTheirMedians) {
  std::vector<Row> rows{row_of("cub", "sum", 8e-6), row_of("cub", "sum", 1e-6), row_of("cub", "sum", 27e-6)};
  const std::vector<Row> merged = without_repetitions(rows);
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_NEAR(merged[0].median, 6e-6, 1e-12) << "(8 · 1 · 27)^(1/3)";
  EXPECT_FALSE(merged[0].interval);
}

TEST(Tables, SimtHasCountsAndNoTimes) {
  Row row = row_of("course", "reduce0", 1);
  row.device = DeviceKind::simt;
  row.counters = {{"launches", 20},
                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8192},
                  {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 26880},
                  {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 20}};
  const std::string text = tables_of({row});
  EXPECT_NE(text.find("counts of one call on the CPU executor"), std::string::npos) << text;
  EXPECT_NE(text.find("26,900"), std::string::npos) << text;
  EXPECT_EQ(text.find("median"), std::string::npos) << text;
}

TEST(Tables, FailuresOfTheRunComeFirstAndSharedReasonsOnce) {
  const std::vector<Failure> failures{
      {"a/1", "f/s/a", "p", Failure::Status::skipped, "needs power-of-two n"},
      {"b/1", "f/s/b", "p", Failure::Status::wrong, "n = 2, uniform: expected 1, got 2"},
      {"a/2", "f/s/a", "p", Failure::Status::skipped, "needs power-of-two n"}};
  EXPECT_EQ(failures_in_words(failures), R"(
Cells without a row:
  wrong: f/s/b: n = 2, uniform: expected 1, got 2
  skipped: f/s/a: needs power-of-two n (2 cells)
)");
  EXPECT_EQ(failures_in_words({}), "");
}

std::vector<std::string> course(const std::string&, const std::string& series) {
  if (series != "course") return {};
  return {"reduce/course/reduce0", "reduce/course/reduce1", "reduce/course/reduce2"};
}

TEST(Ladder, HasAStepAStageAndThePublishedFiguresOfItsType) {
  EXPECT_EQ(ladders_of(three_stages(), course), R"(
Ladder course — reduce, op sum, float32, n = 1,048,576: cold, device clock
  stage      median  vs before  vs first  vs cub/sum                                               published
  ----------------------------------------------------------------------------------------------------------
  reduce0  64.00 µs                            0.12×  0.643 ms (RTX 2070, n = 16,777,216); 0.1 ms (RTX 3080)
  reduce1  16.00 µs      4.00×     4.00×       0.50×
  reduce2   8.00 µs      2.00×     8.00×       1.00×
)");
}

TEST(Ladder, OnlySeriesThatWereMeasuredWhole) {
  std::vector<Row> rows = three_stages();
  rows.erase(rows.begin() + 1);
  EXPECT_EQ(ladders_of(rows, course), "");
  rows = three_stages();
  for (Row& row : rows) row.device = DeviceKind::simt;
  EXPECT_EQ(ladders_of(rows, course), "") << "the executor's times mean nothing";
}

TEST(Ladder, TheLargestSizeAndThoseThatWerePublished) {
  std::vector<Row> rows = three_stages();
  for (const std::int64_t n : {std::int64_t{1} << 10, std::int64_t{1} << 22}) {
    for (Row row : three_stages()) {
      row.n = n;
      row.name += std::to_string(n);
      rows.push_back(row);
    }
  }
  const std::string text = ladders_of(rows, course);
  EXPECT_EQ(text.find("n = 1,024:"), std::string::npos) << text;
  EXPECT_LT(text.find("n = 1,048,576:"), text.find("n = 4,194,304:")) << text;
}

TEST(Progress, TheLineSaysHowFarAndHowLong) {
  EXPECT_EQ(progress_line(12, 120, 80, "sampling: reduce/cub/sum", 79),
            "[ 12/120] 1 min 20 s left  sampling: reduce/cub/sum");
  EXPECT_EQ(progress_line(12, 120, 80, "sampling", 12), "[ 12/120] 1 ");
}

TEST(Progress, TheTimeLeftComesFromTheEstimateFirstAndFromTheRunLater) {
  EXPECT_DOUBLE_EQ(seconds_left(0, 5, 100), 100);
  EXPECT_DOUBLE_EQ(seconds_left(0.5, 100, 20), 100);
  EXPECT_DOUBLE_EQ(seconds_left(1, 100, 20), 0);
  const double early = seconds_left(0.05, 10, 100);
  EXPECT_GT(early, 95);
  EXPECT_LT(early, 190);
}

TEST(Words, TimesWaitsAndNumbers) {
  EXPECT_EQ(time_in_words(4.256e-6), "4.26 µs");
  EXPECT_EQ(time_in_words(2.5e-7), "250.0 ns");
  EXPECT_EQ(time_in_words(0.0123), "12.300 ms");
  EXPECT_EQ(wait_in_words(59.4), "59 s");
  EXPECT_EQ(wait_in_words(3661), "1 h 1 min");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-123), "-123");
  EXPECT_EQ(with_commas(999), "999");
}

}  // namespace
}  // namespace tally
