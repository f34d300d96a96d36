#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/measure/statistics.h"

namespace tally {

/// Samples of one cell in the order in which they were taken, each with the round in which its cell had its
/// turn.
struct Series {
  std::vector<double> samples;
  std::vector<int> rounds;

  void add(const std::vector<double>& turn, int round) {
    samples.insert(samples.end(), turn.begin(), turn.end());
    rounds.insert(rounds.end(), turn.size(), round);
  }
};

struct Ratio {
  double value = 1;
  std::optional<Interval> interval;  ///< 95%; none for fewer than fewest_for_interval common rounds
};

/// median(numerator) / median(denominator) over the rounds in which both had a turn, or nothing where there
/// is no such round. Each round's own level (the geometric mean of its two medians) is divided out of both
/// first: what drifts from round to round hits both alike and cancels.
///
/// The interval is a bootstrap over whole rounds, the same rounds for both. Rounds are few, so the
/// percentiles are widened to Student's (the expanded percentile interval of Hesterberg, "What teachers
/// should know about the bootstrap", 2015).
std::optional<Ratio> ratio_of_medians(const Series& numerator, const Series& denominator, std::uint64_t seed);

}  // namespace tally
