#include "harness/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace tally {
namespace {

constexpr double tail = 0.025;

/// Linear between the two nearest order statistics (the definition that numpy and R use by default).
double quantile_of_sorted(const std::vector<double>& sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

}  // namespace

double median_of_sorted(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return std::midpoint(sorted[middle - 1], sorted[middle]);
}

double median(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return median_of_sorted(samples);
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
  return Interval{sorted[ranks->first], sorted[ranks->second]};
}

double noise_of_sorted(const std::vector<double>& sorted) {
  if (sorted.size() < 2) return 0;
  const double middle = median_of_sorted(sorted);
  if (middle <= 0) return 0;
  return (quantile_of_sorted(sorted, 0.75) - quantile_of_sorted(sorted, 0.25)) / middle;
}

double to_seven_digits(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", seconds);
  return std::strtod(text, nullptr);
}

}  // namespace tally
