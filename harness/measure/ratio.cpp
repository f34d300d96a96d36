#include "harness/measure/ratio.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "harness/measure/random.h"

namespace tally {
namespace {

constexpr int resamples = 2000;

/// Samples in ascending order, each with the place of its round in the list of common rounds.
struct Ranked {
  std::vector<double> values;
  std::vector<std::size_t> rounds;
};

/// Rounds in which both had a turn, each with its place among them.
using Places = std::map<int, std::size_t>;

/// How slow the machine was in each round: the geometric mean of both medians.
std::vector<double> levels_of(const Series& one, const Series& other, const Places& places) {
  std::vector<double> levels(places.size(), 1);
  for (const Series* series : {&one, &other}) {
    std::vector<std::vector<double>> by_round(places.size());
    for (std::size_t i = 0; i < series->samples.size(); ++i) {
      const auto place = places.find(series->rounds[i]);
      if (place != places.end()) by_round[place->second].push_back(series->samples[i]);
    }
    for (std::size_t round = 0; round < places.size(); ++round) {
      levels[round] *= std::sqrt(median(std::move(by_round[round])));
    }
  }
  return levels;
}

Ranked ranked(const Series& series, const Places& places, const std::vector<double>& levels) {
  std::vector<std::pair<double, std::size_t>> pairs;
  for (std::size_t i = 0; i < series.samples.size(); ++i) {
    const auto place = places.find(series.rounds[i]);
    if (place != places.end()) pairs.emplace_back(series.samples[i] / levels[place->second], place->second);
  }
  std::sort(pairs.begin(), pairs.end());
  Ranked result;
  for (const auto& [value, round] : pairs) {
    result.values.push_back(value);
    result.rounds.push_back(round);
  }
  return result;
}

/// The median when each sample counts as often as its round was drawn.
double weighted_median(const Ranked& samples, const std::vector<int>& times_drawn) {
  std::int64_t total = 0;
  for (const std::size_t round : samples.rounds) total += times_drawn[round];
  std::int64_t seen = 0;
  double lower = 0;
  bool have_lower = false;
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    seen += times_drawn[samples.rounds[i]];
    if (have_lower && 2 * seen > total) return std::midpoint(lower, samples.values[i]);
    if (2 * seen > total) return samples.values[i];
    if (!have_lower && 2 * seen == total && total > 0) {
      lower = samples.values[i];
      have_lower = true;
    }
  }
  return lower;
}

/// Upper 2.5% point of Student's distribution by the expansion of Cornish and Fisher; exact to three digits
/// from five degrees of freedom on.
double student(double freedom) {
  const double z = 1.959963985;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  const double z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/// The share of resamples to leave out at each end. The root of count / (count - 1) is what a bootstrap of
/// few rounds is too narrow by; a second one stands for the rounds' levels, which are estimated too.
double widened_tail(std::size_t rounds) {
  const auto count = static_cast<double>(rounds);
  const double widened = count / (count - 1) * student(count - 1);
  return 0.5 * std::erfc(widened / std::sqrt(2.0));
}

}  // namespace

std::optional<Ratio> ratio_of_medians(const Series& numerator, const Series& denominator,
                                      std::uint64_t seed) {
  const std::set<int> above(numerator.rounds.begin(), numerator.rounds.end());
  const std::set<int> below(denominator.rounds.begin(), denominator.rounds.end());
  Places places;
  for (const int round : above) {
    if (below.contains(round)) places.emplace(round, places.size());
  }
  if (places.empty()) return std::nullopt;

  const std::vector<double> levels = levels_of(numerator, denominator, places);
  if (*std::min_element(levels.begin(), levels.end()) <= 0) return std::nullopt;
  const Ranked top = ranked(numerator, places, levels);
  const Ranked bottom = ranked(denominator, places, levels);
  std::vector<int> times_drawn(places.size(), 1);
  const double bottom_median = weighted_median(bottom, times_drawn);
  if (bottom_median <= 0) return std::nullopt;
  Ratio ratio{weighted_median(top, times_drawn) / bottom_median, std::nullopt};
  if (places.size() < fewest_for_interval) return ratio;

  RandomStream random(seed);
  std::vector<double> ratios;
  ratios.reserve(resamples);
  for (int resample = 0; resample < resamples; ++resample) {
    std::fill(times_drawn.begin(), times_drawn.end(), 0);
    for (std::size_t i = 0; i < places.size(); ++i) ++times_drawn[random.below(places.size())];
    const double divisor = weighted_median(bottom, times_drawn);
    if (divisor > 0) ratios.push_back(weighted_median(top, times_drawn) / divisor);
  }
  std::sort(ratios.begin(), ratios.end());
  if (ratios.empty()) return ratio;
  const auto cut = static_cast<std::size_t>(widened_tail(places.size()) * static_cast<double>(ratios.size()));
  ratio.interval = Interval{ratios[cut], ratios[ratios.size() - 1 - cut]};
  return ratio;
}

}  // namespace tally
