#include "harness/problems/elements.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace tally {
namespace {

double rounded_to(ScalarType type, double value) {
  if (type == ScalarType::float64) return value;
  if (type == ScalarType::float32) return static_cast<float>(value);
  std::uint16_t cell = 0;
  store_rounded(&cell, type, 0, value);
  return load_as_double(&cell, type, 0);
}

bool fits_double(Int128 value) {
  constexpr std::int64_t limit = std::int64_t{1} << 53;
  return value >= -limit && value <= limit;
}

}  // namespace

ElementCheck::ElementCheck(ScalarType type, const void* answer, int fraction_bits)
    : type_(type),
      answer_(answer),
      unit_(std::ldexp(1.0, -fraction_bits)),
      half_distance_(unit_roundoff(type)) {}

double ElementCheck::exact_double(Int128 value) const {
  // From 64 bits the conversion is one instruction; from 128 a call that rounds once.
  const auto narrow = static_cast<std::int64_t>(value);
  return (narrow == value ? static_cast<double>(narrow) : static_cast<double>(value)) * unit_;
}

void ElementCheck::found(bool right, const Finding& finding) {
  if (any_.index < 0) any_ = finding;
  if (!right && first_wrong_.index < 0) first_wrong_ = finding;
}

void ElementCheck::integer(std::int64_t index, Int128 value) {
  const std::int64_t expected = wrapped(type_, value);
  const std::int64_t got = load_as_integer(answer_, type_, index);
  if (expected != got) {
    ulp_ = std::max(ulp_, std::fabs(static_cast<double>(expected) - static_cast<double>(got)));
  }
  found(expected == got, {.index = index, .expected_integer = expected, .got_integer = got});
}

void ElementCheck::rounded_once(std::int64_t index, Int128 value) {
  if (!is_floating(type_)) return integer(index, value);
  const double expected = rounded_to(type_, exact_double(value));
  const double got = load_as_double(answer_, type_, index);
  const bool right = expected == got;
  if (!right && std::isfinite(got)) {
    ulp_ = std::max(ulp_, std::fabs(expected - got) / ulp_at(type_, expected));
  }
  found(right, {.index = index, .expected = expected, .got = got});
}

void ElementCheck::near(std::int64_t index, Int128 sum, Int128 magnitudes, double chain) {
  if (!is_floating(type_)) return integer(index, sum);
  const double expected = exact_double(sum);
  const double got = load_as_double(answer_, type_, index);
  const double error = fits_double(sum)
                           ? std::fabs(got - expected)
                           : static_cast<double>(std::fabs(static_cast<long double>(got) -
                                                           static_cast<long double>(sum) * unit_));
  const double unit_of_terms = half_distance_ * exact_double(magnitudes);
  bool right = error == 0;
  if (!right) {  // NaN is not right
    const double ulp = ulp_at(type_, expected);
    const double last_rounding = chain > 0 ? 0.5 * ulp * (1 + 1e-9) : 0;
    right = error <= chain * unit_of_terms + last_rounding;
    if (std::isfinite(error)) {
      ulp_ = std::max(ulp_, error / ulp);
      if (unit_of_terms > 0) error_ = std::max(error_, error / unit_of_terms);
    }
  }
  if (magnitudes > 0) {
    const double magnitude = std::max(std::fabs(expected), unit_);
    condition_ = std::max(condition_, exact_double(magnitudes) / magnitude);
  }
  found(right, {.index = index, .expected = expected, .got = got});
}

void ElementCheck::merge(const ElementCheck& other) {
  const auto earlier = [](const Finding& mine, const Finding& theirs) {
    return theirs.index >= 0 && (mine.index < 0 || theirs.index < mine.index);
  };
  if (earlier(first_wrong_, other.first_wrong_)) first_wrong_ = other.first_wrong_;
  if (earlier(any_, other.any_)) any_ = other.any_;
  ulp_ = std::max(ulp_, other.ulp_);
  error_ = std::max(error_, other.error_);
  condition_ = std::max(condition_, other.condition_);
}

CheckResult ElementCheck::result() const {
  CheckResult result;
  result.right = first_wrong_.index < 0;
  const Finding& shown = result.right ? any_ : first_wrong_;
  if (shown.index >= 0) {
    result.where = "element " + std::to_string(shown.index);
    const bool floating = is_floating(type_);
    result.expected = floating ? printed(type_, shown.expected) : std::to_string(shown.expected_integer);
    result.got = floating ? printed(type_, shown.got) : std::to_string(shown.got_integer);
  }
  result.ulp = ulp_;
  result.error = error_;
  result.condition = condition_;
  return result;
}

CheckResult check_elements(ScalarType type, const void* answer, std::int64_t count, int fraction_bits,
                           const std::function<void(std::int64_t, std::int64_t, ElementCheck&)>& part) {
  ElementCheck whole(type, answer, fraction_bits);
  std::mutex merging;
  on_all_cores(count, [&](std::int64_t first, std::int64_t last) {
    ElementCheck mine(type, answer, fraction_bits);
    part(first, last, mine);
    const std::lock_guard lock(merging);
    whole.merge(mine);
  });
  return whole.result();
}

}  // namespace tally
