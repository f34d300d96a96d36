#include "harness/measure/sampler.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "harness/measure/google_benchmark.h"
#include "tests/harness/measure/fake_samples.h"

namespace tally {
namespace {

MeasureSettings settings_for_tests() {
  MeasureSettings settings;
  settings.min_samples = 20;
  settings.rounds = 10;
  settings.max_samples = 200;
  return settings;
}

/// A cell whose samples are all `seconds`, but for `spread`.
struct Imagined {
  double seconds;
  double spread = 0;
  double cost = 1e-3;
};

std::vector<Contender> imagine(const std::vector<Imagined>& cells,
                               std::vector<std::pair<int, std::size_t>>& log, RandomStream& random,
                               const MeasureSettings& settings) {
  std::vector<Contender> contenders;
  for (std::size_t index = 0; index < cells.size(); ++index) {
    const Imagined cell = cells[index];
    contenders.push_back({.pilot =
                              [cell] {
                                return Contender::Pilot{cell.cost, 1};
                              },
                          .take_turn =
                              [cell, index, &log, &random](int round, int samples, int batch) {
                                log.emplace_back(round, index);
                                Turn turn;
                                turn.round = round;
                                turn.batch = batch;
                                turn.seconds = samples * cell.cost;
                                for (int i = 0; i < samples; ++i)
                                  turn.samples.push_back(cell.seconds *
                                                         (1 + cell.spread * testing::normal(random)));
                                return turn;
                              },
                          .rule = StoppingRule(settings)});
  }
  return contenders;
}

TEST(Sampler, EveryoneHasATurnInEveryRoundAndTheOrderChanges) {
  std::vector<std::pair<int, std::size_t>> log;
  RandomStream random(1);
  auto contenders = imagine({{1e-3}, {2e-3}, {3e-3}, {4e-3}}, log, random, settings_for_tests());
  take_turns(contenders, 5, [](std::size_t) { return true; });
  ASSERT_EQ(log.size(), 40u);
  std::set<std::vector<std::size_t>> orders;
  for (std::size_t round = 0; round < 10; ++round) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(log[4 * round + i].first, static_cast<int>(round));
      order.push_back(log[4 * round + i].second);
    }
    EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), 4u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 5u);
  for (const Contender& contender : contenders) EXPECT_EQ(contender.stopped, StopReason::precise);
}

TEST(Sampler, NoisyCellsGoOnAndStopAtTheLimitOfSamples) {
  std::vector<std::pair<int, std::size_t>> log;
  RandomStream random(2);
  auto contenders = imagine({{1e-3, 0}, {1e-3, 0.5}}, log, random, settings_for_tests());
  take_turns(contenders, 5, [](std::size_t) { return true; });
  EXPECT_EQ(contenders[0].stopped, StopReason::precise);
  EXPECT_EQ(contenders[0].series.samples.size(), 20u);
  EXPECT_EQ(contenders[1].stopped, StopReason::samples);
  EXPECT_EQ(contenders[1].series.samples.size(), 200u);
}

TEST(Sampler, SlowCellsStopAtTheLimitOfTime) {
  std::vector<std::pair<int, std::size_t>> log;
  RandomStream random(3);
  auto contenders = imagine({{0.15, 0.5, 0.15}}, log, random, settings_for_tests());
  take_turns(contenders, 5, [](std::size_t) { return true; });
  EXPECT_EQ(contenders[0].stopped, StopReason::seconds);
  EXPECT_EQ(contenders[0].series.samples.size(), 3u);
}

TEST(Sampler, GoesOnWhereAProcessBeforeLeftOff) {
  std::vector<std::pair<int, std::size_t>> whole;
  RandomStream random(4);
  auto unbroken = imagine({{1e-3}, {2e-3}, {3e-3}}, whole, random, settings_for_tests());
  std::vector<std::pair<std::size_t, Turn>> turns;
  for (Contender& contender : unbroken) {
    const std::size_t index = static_cast<std::size_t>(&contender - unbroken.data());
    contender.take_turn = [take = contender.take_turn, index, &turns](int round, int samples, int batch) {
      turns.emplace_back(index, take(round, samples, batch));
      return turns.back().second;
    };
  }
  take_turns(unbroken, 9, [](std::size_t) { return true; });

  for (std::size_t broken_at = 0; broken_at <= turns.size(); ++broken_at) {
    std::vector<std::pair<int, std::size_t>> log(whole.begin(),
                                                 whole.begin() + static_cast<std::ptrdiff_t>(broken_at));
    auto resumed = imagine({{1e-3}, {2e-3}, {3e-3}}, log, random, settings_for_tests());
    for (std::size_t i = 0; i < broken_at; ++i) resumed[turns[i].first].add(turns[i].second);
    take_turns(resumed, 9, [](std::size_t) { return true; });
    EXPECT_EQ(log, whole) << "broken after turn " << broken_at;
  }
}

TEST(Sampler, EndsWhenItIsToldTo) {
  std::vector<std::pair<int, std::size_t>> log;
  RandomStream random(5);
  auto contenders = imagine({{1e-3}, {2e-3}}, log, random, settings_for_tests());
  take_turns(contenders, 9, [&log](std::size_t) { return log.size() < 7; });
  EXPECT_EQ(log.size(), 7u);
}

TEST(StoppingRule, TurnsAreEvenSharesLongerThanAMillisecondAndFitTheTime) {
  MeasureSettings settings;
  settings.min_samples = 25;
  settings.rounds = 10;
  settings.max_samples = 1000;
  settings.max_seconds = 0.4;
  const StoppingRule rule(settings);
  EXPECT_EQ(rule.samples_in_a_turn(5e-3), 3);
  EXPECT_EQ(rule.samples_in_a_turn(1e-4), 10);
  EXPECT_EQ(rule.samples_in_a_turn(1e-6), 100);
  EXPECT_EQ(rule.samples_in_a_turn(2.0), 1);
}

TEST(StoppingRule, IsPreciseOnlyWithEnoughSamplesAndRounds) {
  MeasureSettings settings;
  settings.min_samples = 20;
  settings.rounds = 10;
  const StoppingRule rule(settings);
  const std::vector<double> equal(19, 1e-3);
  EXPECT_FALSE(rule.after(equal, 10, 0.01)) << "too few samples, however equal";
  const std::vector<double> enough(20, 1e-3);
  EXPECT_FALSE(rule.after(enough, 9, 0.01)) << "too few rounds";
  EXPECT_EQ(rule.after(enough, 10, 0.01), StopReason::precise);
}

TEST(GoogleBenchmark, IsTheLoopAndKeepsTheTimeItIsTold) {
  int calls = 0;
  const LoopReport report = run_google_benchmark("a/b:c/cold", 17, [&calls] { return 1e-3 * ++calls; });
  EXPECT_EQ(calls, 17);
  EXPECT_EQ(report.iterations, 17);
  EXPECT_NEAR(report.real_seconds, 1e-3 * 17 * 18 / 2, 1e-12);
}

TEST(GoogleBenchmark, PassesOnWhatTheCallThrowsAndRunsAgainAfterwards) {
  EXPECT_THROW(run_google_benchmark("throws", 3, []() -> double { throw std::runtime_error("x"); }),
               std::runtime_error);
  EXPECT_EQ(run_google_benchmark("after", 2, [] { return 1.0; }).iterations, 2);
}

TEST(GoogleBenchmark, ContextHasWhatItsReadersNeed) {
  const nlohmann::json context = google_benchmark_context("harness");
  for (const char* key : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "caches", "load_avg",
                          "library_build_type", "json_schema_version"}) {
    EXPECT_TRUE(context.contains(key)) << key;
  }
}

}  // namespace
}  // namespace tally
