#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/measure/ratio.h"
#include "harness/measure/statistics.h"
#include "harness/measure/stopping.h"
#include "tests/harness/measure/fake_samples.h"

namespace tally {
namespace {

using testing::bimodal;
using testing::drifting;
using testing::FakeClock;
using testing::lognormal;

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Median, LiesBetweenTheStepsOfACoarseClock) {
  EXPECT_EQ(median({5, 5, 5}), 5);
  // Ranks of the middle of the ties: 4 at 1, 5 at 3.5, 6 at 5: the rank 2.5 is three fifths of the way.
  EXPECT_DOUBLE_EQ(median({4, 4, 4, 5, 5, 6}), 4.6);
  EXPECT_DOUBLE_EQ(median({4, 5, 5, 6, 6, 6}), 5.4);
  EXPECT_EQ(median({4, 5, 5, 5, 6}), 5) << "symmetrical";
}

/// The mid-quantile by its definition: through the points (middle of the ties' ranks, value).
double by_definition(const std::vector<double>& sorted, double rank) {
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
    points.emplace_back(0.5 * static_cast<double>(i + j - 1), sorted[i]);
    i = j;
  }
  if (rank <= points.front().first) return points.front().second;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [left, low] = points[i - 1];
    const auto [right, high] = points[i];
    if (rank <= right) return low + (high - low) * (rank - left) / (right - left);
  }
  return points.back().second;
}

TEST(ValueAtRank, IsTheMidQuantile) {
  constexpr std::uint64_t seed = 12;
  RandomStream random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<double> samples(1 + random.below(40));
    for (double& sample : samples) sample = static_cast<double>(random.below(1 + trial % 12));
    std::sort(samples.begin(), samples.end());
    for (double rank = 0; rank <= static_cast<double>(samples.size() - 1); rank += 0.25) {
      ASSERT_NEAR(value_at_rank(samples, rank), by_definition(samples, rank), 1e-12)
          << "seed " << seed << ", trial " << trial << ", rank " << rank;
    }
  }
}

TEST(Median, FollowsADistributionThatMovesByLessThanAStep) {
  // Times that a clock reads in steps of 4% of them: order statistics would stay, or jump by 4%.
  constexpr double step = 0.04;
  RandomStream random(5);
  const auto read = [&](double level) {
    std::vector<double> samples(20000);
    for (double& sample : samples)
      sample = step * std::round((level + 0.02 * testing::normal(random)) / step);
    return median(std::move(samples));
  };
  for (double level = 1.0; level < 1.04; level += 0.005) EXPECT_NEAR(read(level), level, 0.002);
}

TEST(MedianInterval, RanksAreThoseOfTheBinomialTable) {
  // Conover, "Practical Nonparametric Statistics": ranks from 1 are 1 and 6, 2 and 9, 6 and 15, 40 and 61.
  EXPECT_FALSE(median_interval_ranks(5));
  EXPECT_EQ(median_interval_ranks(6), std::pair(std::size_t{0}, std::size_t{5}));
  EXPECT_EQ(median_interval_ranks(10), std::pair(std::size_t{1}, std::size_t{8}));
  EXPECT_EQ(median_interval_ranks(20), std::pair(std::size_t{5}, std::size_t{14}));
  EXPECT_EQ(median_interval_ranks(100), std::pair(std::size_t{39}, std::size_t{60}));
}

TEST(MedianInterval, RanksOfLongSeriesFollowTheNormalDistribution) {
  for (const std::size_t count : {2000u, 10000u, 1000000u}) {
    const auto ranks = median_interval_ranks(count);
    ASSERT_TRUE(ranks);
    EXPECT_EQ(ranks->first + ranks->second, count - 1) << "as far from either end";
    const double expected = static_cast<double>(count) / 2 - 0.98 * std::sqrt(static_cast<double>(count));
    EXPECT_NEAR(static_cast<double>(ranks->first), expected, 2);
  }
}

TEST(Noise, IsTheInterquartileRangeOverTheMedian) {
  EXPECT_EQ(noise_of_sorted({2}), 0);
  EXPECT_DOUBLE_EQ(noise_of_sorted({1, 2, 3, 4, 5}), 2.0 / 3.0);
}

/// One cell, sampled as the harness does it: in turns, until the rule says stop.
Series sampled(const MeasureSettings& settings, const FakeClock& clock, RandomStream& random,
               StopReason* reason = nullptr) {
  const StoppingRule rule(settings);
  const int in_a_turn = rule.samples_in_a_turn(1e-4);
  Series series;
  for (int round = 0;; ++round) {
    std::vector<double> turn;
    for (int i = 0; i < in_a_turn; ++i) {
      const auto when = static_cast<double>(series.samples.size() + turn.size()) / settings.max_samples;
      turn.push_back(clock(random, when));
    }
    series.add(turn, round);
    const auto stop =
        rule.after(series.samples, round + 1, 1e-4 * static_cast<double>(series.samples.size()));
    if (stop) {
      if (reason != nullptr) *reason = *stop;
      return series;
    }
  }
}

/// The true median of what a cell drew, numerically: of the distribution, averaged over the time sampled.
double true_median(const FakeClock& clock, double until) {
  RandomStream random(99);
  std::vector<double> draws(400001);
  for (std::size_t i = 0; i < draws.size(); ++i) {
    draws[i] = clock(random, until * static_cast<double>(i) / static_cast<double>(draws.size()));
  }
  return median(std::move(draws));
}

struct Coverage {
  double share = 0;
  double precise = 0;  ///< of the cells
};

Coverage coverage_of_median(const FakeClock& clock, const MeasureSettings& settings, std::uint64_t seed,
                            bool drifts) {
  constexpr int cells = 2500;
  RandomStream random(seed);
  const double fixed_truth = drifts ? 0 : true_median(clock, 1);
  // The truth of a drifting cell depends on how long it was sampled; a table serves all lengths.
  std::vector<double> table;
  for (int i = 0; drifts && i <= 20; ++i) table.push_back(true_median(clock, i / 20.0));
  int inside = 0;
  int precise = 0;
  for (int cell = 0; cell < cells; ++cell) {
    StopReason reason{};
    Series series = sampled(settings, clock, random, &reason);
    double truth = fixed_truth;
    if (drifts) {
      const double place = 20.0 * static_cast<double>(series.samples.size()) / settings.max_samples;
      const auto below = std::min<std::size_t>(static_cast<std::size_t>(place), 19);
      truth = std::lerp(table[below], table[below + 1], place - static_cast<double>(below));
    }
    std::sort(series.samples.begin(), series.samples.end());
    const auto interval = median_interval(series.samples);
    inside += interval && interval->low <= truth && truth <= interval->high;
    precise += reason == StopReason::precise;
  }
  return {static_cast<double>(inside) / cells, static_cast<double>(precise) / cells};
}

struct CoverageCase {
  const char* name;
  FakeClock clock;
  bool drifts = false;
  double half_width = 0.005;
};

class MedianCoverage : public ::testing::TestWithParam<CoverageCase> {};

TEST_P(MedianCoverage, IsNinetyFivePercentUnderTheStoppingRule) {
  const CoverageCase& shape = GetParam();
  MeasureSettings settings;
  settings.half_width = shape.half_width;
  constexpr std::uint64_t seed = 20240601;
  const Coverage found = coverage_of_median(shape.clock, settings, seed, shape.drifts);
  std::printf("%s: seed %llu, coverage %.4f, %.0f%% precise\n", shape.name,
              static_cast<unsigned long long>(seed), found.share, 100 * found.precise);
  EXPECT_GE(found.share, 0.93);
  EXPECT_LE(found.share, 0.97);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MedianCoverage,
                         ::testing::Values(CoverageCase{"quiet", lognormal(0.004)},
                                           CoverageCase{"usual", lognormal(0.02)},
                                           CoverageCase{"noisy_never_precise", lognormal(0.3)},
                                           CoverageCase{"bimodal", bimodal(0.3, 0.05, 0.01)},
                                           CoverageCase{"bimodal_far_apart", bimodal(0.2, 1.0, 0.02)},
                                           CoverageCase{"bimodal_almost_even", bimodal(0.45, 0.02, 0.01)},
                                           CoverageCase{"drifting", drifting(0.02, 0.02), true},
                                           CoverageCase{"drifting_fast", drifting(0.1, 0.05), true}),
                         [](const auto& info) { return std::string(info.param.name); });

/// Two entries that take turns while the machine drifts under both.
double coverage_of_ratio(const FakeClock& above, const FakeClock& below, double drift, double wander,
                         double truth, std::uint64_t seed, int rounds, int in_a_turn) {
  constexpr int cells = 2000;
  RandomStream random(seed);
  int inside = 0;
  for (int cell = 0; cell < cells; ++cell) {
    Series numerator;
    Series denominator;
    double level = 1;
    for (int round = 0; round < rounds; ++round) {
      level *= 1 + drift / rounds + wander * testing::normal(random);
      std::vector<double> a;
      std::vector<double> b;
      for (int i = 0; i < in_a_turn; ++i) {
        a.push_back(level * above(random, 0));
        b.push_back(level * below(random, 0));
      }
      numerator.add(a, round);
      denominator.add(b, round);
    }
    const auto ratio = ratio_of_medians(numerator, denominator, seed + static_cast<std::uint64_t>(cell));
    inside += ratio && ratio->interval && ratio->interval->low <= truth && truth <= ratio->interval->high;
  }
  return static_cast<double>(inside) / cells;
}

struct RatioCase {
  const char* name;
  double drift;
  double wander;
  int rounds;
  int in_a_turn;
};

class RatioCoverage : public ::testing::TestWithParam<RatioCase> {};

TEST_P(RatioCoverage, IsNinetyFivePercent) {
  const RatioCase& shape = GetParam();
  constexpr std::uint64_t seed = 7;
  const auto slower = [](RandomStream& random, double) {
    return 1.2 * std::exp(0.02 * testing::normal(random));
  };
  const double found = coverage_of_ratio(slower, lognormal(0.02), shape.drift, shape.wander, 1.2, seed,
                                         shape.rounds, shape.in_a_turn);
  std::printf("%s: seed %llu, coverage %.4f\n", shape.name, static_cast<unsigned long long>(seed), found);
  EXPECT_GE(found, 0.93);
  EXPECT_LE(found, 0.97);
}

INSTANTIATE_TEST_SUITE_P(Shapes, RatioCoverage,
                         ::testing::Values(RatioCase{"still", 0, 0, 10, 10},
                                           RatioCase{"drifting", 0.05, 0, 10, 10},
                                           RatioCase{"wandering", 0, 0.005, 10, 10},
                                           RatioCase{"many_rounds", 0.02, 0.001, 40, 5},
                                           RatioCase{"few_samples", 0, 0, 10, 2}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tally
