#include "harness/problems/check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tally {
namespace {

CheckResult wrong_or_right(bool right, std::string expected, std::string got) {
  CheckResult result;
  result.right = right;
  result.expected = std::move(expected);
  result.got = std::move(got);
  return result;
}

/// Σ|terms| / |Σ terms|, kept finite for the results file where the terms cancel wholly.
double condition_of(const Moments& terms) {
  if (terms.sum_of_magnitudes == 0) return 1;
  const Int128 sum = terms.sum < 0 ? -terms.sum : terms.sum;
  return static_cast<double>(terms.sum_of_magnitudes) / static_cast<double>(std::max<Int128>(sum, 1));
}

}  // namespace

double allowed_chain(double additions) {
  return std::min(additions, 10 * std::sqrt(std::max(additions, 0.0)));
}

std::string printed(ScalarType type, double value) {
  char text[64];
  const int digits = type == ScalarType::float64 ? 17 : type == ScalarType::float32 ? 9 : 5;
  std::snprintf(text, sizeof text, "%.*g", is_floating(type) ? digits : 20, value);
  return text;
}

std::int64_t wrapped(ScalarType type, Int128 value) {
  switch (type) {
    case ScalarType::int8:
      return static_cast<std::int8_t>(value);
    case ScalarType::int32:
      return static_cast<std::int32_t>(value);
    default:
      return static_cast<std::int64_t>(value);
  }
}

CheckResult check_sum(ScalarType answer_type, const void* answer, const ExactSum& exact, double additions,
                      bool every_order_is_exact, ErrorBound bound) {
  if (!is_floating(answer_type)) {
    const std::int64_t expected = wrapped(answer_type, exact.terms.sum) / exact.divisor;
    const std::int64_t got = load_as_integer(answer, answer_type, 0);
    CheckResult result = wrong_or_right(expected == got, std::to_string(expected), std::to_string(got));
    result.ulp = std::fabs(static_cast<double>(expected) - static_cast<double>(got));
    return result;
  }
  const double got = load_as_double(answer, answer_type, 0);
  const auto divisor = static_cast<double>(exact.divisor);
  const double expected = scaled(exact.terms.sum, exact.fraction_bits) / divisor;
  // The distance is taken on the undivided sum, where it is exact; a mean's own division rounds once more.
  const double error =
      exact.divisor == 1
          ? distance(got, exact.terms.sum, exact.fraction_bits)
          : static_cast<double>(std::fabs(
                static_cast<long double>(got) -
                std::ldexp(static_cast<long double>(exact.terms.sum), -exact.fraction_bits) / exact.divisor));
  const double magnitudes = scaled(exact.terms.sum_of_magnitudes, exact.fraction_bits) / divisor;
  const double unit = unit_roundoff(answer_type);
  const double half_ulp = 0.5 * ulp_at(answer_type, expected);
  const double one_rounding = exact.divisor == 1 && every_order_is_exact ? 0 : half_ulp * (1 + 1e-9);
  const double chain = every_order_is_exact           ? 0
                       : bound == ErrorBound::certain ? additions
                                                      : allowed_chain(additions);
  const double allowed = chain * unit * magnitudes + one_rounding;

  CheckResult result = wrong_or_right(error <= allowed, printed(answer_type, expected),
                                      printed(answer_type, got));  // NaN is wrong
  result.ulp = std::isfinite(error) ? error / ulp_at(answer_type, expected) : 0;
  result.error = std::isfinite(error) && magnitudes > 0 ? error / (unit * magnitudes) : 0;
  result.condition = condition_of(exact.terms);
  return result;
}

CheckResult check_equal(ScalarType answer_type, const void* answer, Int128 value, int fraction_bits) {
  if (!is_floating(answer_type)) {
    const std::int64_t expected = wrapped(answer_type, value);
    const std::int64_t got = load_as_integer(answer, answer_type, 0);
    return wrong_or_right(expected == got, std::to_string(expected), std::to_string(got));
  }
  const double expected = scaled(value, fraction_bits);
  const double got = load_as_double(answer, answer_type, 0);
  CheckResult result =
      wrong_or_right(expected == got, printed(answer_type, expected), printed(answer_type, got));
  if (std::isfinite(got)) result.ulp = std::fabs(expected - got) / ulp_at(answer_type, expected);
  return result;
}

}  // namespace tally
