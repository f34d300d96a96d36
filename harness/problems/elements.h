#pragma once

#include <cstdint>
#include <functional>

#include "harness/problems/check.h"

namespace tally {

/// Compares a vector answer element by element. Every core has one of these for its part of the answer; what
/// they found is merged into one result.
class ElementCheck {
 public:
  /// Exact values are integers times 2^-fraction_bits.
  ElementCheck(ScalarType type, const void* answer, int fraction_bits);

  /// The element must be the exact value, rounded to the type once; integers must agree modulo 2^bits. For
  /// float32 and shorter types |value| is below 2^53, so that it reaches the type with one rounding here too.
  void rounded_once(std::int64_t index, Int128 value);

  /// The element is a sum that was added up in its own type: it must be within `chain` · u · Σ|terms| of the
  /// exact sum, and one last rounding; with a chain of 0 it must be the exact sum. Integers must agree modulo
  /// 2^bits.
  void near(std::int64_t index, Int128 sum, Int128 magnitudes, double chain);

  /// What was found in another part of the answer.
  void merge(const ElementCheck& other);

  /// Of the first wrong element, or else of the element with the largest error.
  CheckResult result() const;

 private:
  struct Finding {
    std::int64_t index = -1;
    double expected = 0;
    double got = 0;
    std::int64_t expected_integer = 0;
    std::int64_t got_integer = 0;
  };

  void integer(std::int64_t index, Int128 value);
  void found(bool right, const Finding& finding);
  double exact_double(Int128 value) const;

  ScalarType type_;
  const void* answer_;
  double unit_;           // 2^-fraction_bits
  double half_distance_;  // u of the type
  Finding first_wrong_;
  Finding any_;  // some element, to print where nothing is wrong
  double ulp_ = 0;
  double error_ = 0;
  double condition_ = 1;
};

/// Runs `part(first, last, check)` over parts of [0, count) on all cores and merges what they found.
CheckResult check_elements(
    ScalarType type, const void* answer, std::int64_t count, int fraction_bits,
    const std::function<void(std::int64_t first, std::int64_t last, ElementCheck& check)>& part);

}  // namespace tally
