#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tally {

/// Both ends belong to it.
struct Interval {
  double low = 0;
  double high = 0;
  bool operator==(const Interval&) const = default;
};

/// The fewest samples for which order statistics give a 95% interval of the median: 1 - 2 · 2^-6 is 96.9%.
constexpr std::size_t fewest_for_interval = 6;

/// The value at a rank (from 0, between two samples too) of samples in ascending order, of which there must
/// be at least one. Equal samples stand together at the middle of their ranks, and between such places the
/// value is linear: Ma, Genton and Parzen's mid-quantile ("Asymptotic properties of sample quantiles of
/// discrete distributions", 2011). Without ties that is the order statistic. With them it is what a coarse
/// clock needs: a GPU's events fall on steps of up to 0.16 µs, and an order statistic would jump by a whole
/// step where the distribution moved by a hundredth of one.
double value_at_rank(const std::vector<double>& sorted, double rank);

/// Median of samples in ascending order, the value at the rank in the middle: without ties the sample there,
/// or the mean of two.
double median_of_sorted(const std::vector<double>& sorted);

/// The same for samples in any order.
double median(std::vector<double> samples);

/// Of positive values, of which there must be at least one.
double geometric_mean(const std::vector<double>& values);

/// Ranks (from 0) of the two order statistics between which the median of the population lies with a
/// probability of at least 95%, whatever the distribution: the widest l with P(Binomial(count, 1/2) < l) ≤
/// 2.5%. Nothing below fewest_for_interval.
std::optional<std::pair<std::size_t, std::size_t>> median_interval_ranks(std::size_t count);

/// 95% interval of the median from samples in ascending order: the values at those ranks. Wider than it need
/// be where many samples are equal.
std::optional<Interval> median_interval(const std::vector<double>& sorted);

/// Interquartile range over median: how wide one sample's time spreads, not how well the median is known. 0
/// for fewer than two samples.
double noise_of_sorted(const std::vector<double>& sorted);

/// The sample with seven digits: all that a clock can tell, at half the length of a double when written down.
double to_seven_digits(double seconds);

}  // namespace tally
