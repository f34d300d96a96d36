#include "harness/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace tally {
namespace {

constexpr double tail = 0.025;

/// Equal samples: their value, and the middle of their ranks.
struct Ties {
  double value;
  double rank;
};

/// The ties that the sample at `index` belongs to.
Ties ties_at(const std::vector<double>& sorted, std::size_t index) {
  const auto [first, behind] = std::equal_range(sorted.begin(), sorted.end(), sorted[index]);
  return {sorted[index], 0.5 * static_cast<double>((first - sorted.begin()) + (behind - sorted.begin()) - 1)};
}

}  // namespace

double value_at_rank(const std::vector<double>& sorted, double rank) {
  const std::size_t last = sorted.size() - 1;
  const auto below = std::min(static_cast<std::size_t>(std::max(rank, 0.0)), last);
  const std::size_t above = std::min(below + 1, last);
  Ties low = ties_at(sorted, below);
  Ties high = ties_at(sorted, above);
  // Left or right of the middle of its own ties, the rank lies between them and their neighbours.
  if (rank < low.rank && low.value > sorted.front()) {
    high = low;
    low = ties_at(sorted, static_cast<std::size_t>(
                              std::lower_bound(sorted.begin(), sorted.end(), high.value) - sorted.begin()) -
                              1);
  } else if (rank > high.rank && high.value < sorted.back()) {
    low = high;
    high = ties_at(sorted, static_cast<std::size_t>(
                               std::upper_bound(sorted.begin(), sorted.end(), low.value) - sorted.begin()));
  } else if (low.value == high.value) {
    return low.value;  // in the middle of them, or beyond the outermost
  }
  return std::lerp(low.value, high.value, (rank - low.rank) / (high.rank - low.rank));
}

double median_of_sorted(const std::vector<double>& sorted) {
  return value_at_rank(sorted, 0.5 * static_cast<double>(sorted.size() - 1));
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return median_of_sorted(samples);
}

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return std::exp(logarithms / static_cast<double>(values.size()));
}

std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t count) {
  if (count < fewest_for_interval) return std::nullopt;
  // Terms of the binomial distribution by their logarithms: 2^-count itself is 0 for long series.
  const double log_half = -static_cast<double>(count) * std::log(2.0);
  double log_choose = 0;
  double below = 0;
  std::size_t rank = 0;
  while (true) {
    const double with_this = below + std::exp(log_choose + log_half);
    if (with_this > tail) break;
    below = with_this;
    log_choose += std::log(static_cast<double>(count - rank)) - std::log(static_cast<double>(rank + 1));
    ++rank;
  }
  // P(fewer than `rank` samples lie below the median) ≤ 2.5%: the rank-th smallest, counted from 1.
  return std::pair(rank - 1, count - rank);
}

std::optional<Interval> median_interval(const std::vector<double>& sorted) {
  const auto ranks = median_interval_ranks(sorted.size());
  if (!ranks) return std::nullopt;
  return Interval{value_at_rank(sorted, static_cast<double>(ranks->first)),
                  value_at_rank(sorted, static_cast<double>(ranks->second))};
}

double noise_of_sorted(const std::vector<double>& sorted) {
  if (sorted.size() < 2) return 0;
  const double middle = median_of_sorted(sorted);
  if (middle <= 0) return 0;
  const auto last = static_cast<double>(sorted.size() - 1);
  return (value_at_rank(sorted, 0.75 * last) - value_at_rank(sorted, 0.25 * last)) / middle;
}

double to_seven_digits(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", seconds);
  return std::strtod(text, nullptr);
}

}  // namespace tally
