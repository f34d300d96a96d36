#pragma once

#include <optional>
#include <string>

#include "harness/problems/exact.h"
#include "harness/problems/problem.h"

namespace tally {

/// The exact value that one element of an answer must have: terms are integers times 2^-fraction_bits, and
/// the sum is divided by `divisor` at the end.
struct ExactSum {
  Moments terms;
  int fraction_bits = 0;
  std::int64_t divisor = 1;
};

/// The longest chain of rounded operations behind a sum of n terms, in units of u·Σ|terms|: at most k for a
/// chain of k additions, and with probability above 1 - 1e-20 at most 10·sqrt(k) (Higham and Mary, "A new
/// approach to probabilistic rounding error analysis", 2019). The smaller of the two is what a check may
/// allow.
double allowed_chain(double additions);

/// What an entry declares as its additions where its roundings spread over the whole answer, as those of a
/// Fourier transform do: each element may be off by so many roundings of the largest Σ|terms| of any element.
/// It is written as a negative number, which no chain of additions is.
constexpr double spread_over_all(double roundings) { return -roundings; }
constexpr bool is_spread(double additions) { return additions < 0; }
constexpr double roundings_of(double spread) { return -spread; }

/// Which of the two bounds a check allows. Accumulators with few bits that stop growing err in one direction,
/// and only the bound that always holds, the chain itself, holds for them.
enum class ErrorBound : std::uint8_t { probable, certain };

/// Compares a sum of type `answer_type`, added up in that type. Integers must agree modulo 2^bits; floating
/// sums must be as near as `additions` rounded additions can bring them, and exact where
/// `every_order_is_exact`.
CheckResult check_sum(ScalarType answer_type, const void* answer, const ExactSum& exact, double additions,
                      bool every_order_is_exact, ErrorBound bound = ErrorBound::probable);

/// Compares an answer that admits no rounding at all (min, max, a copy).
CheckResult check_equal(ScalarType answer_type, const void* answer, Int128 value, int fraction_bits);

/// Every digit that tells two values of the type apart.
std::string printed(ScalarType type, double value);

/// The integer that is left of `value` in the type (modulo 2^bits).
std::int64_t wrapped(ScalarType type, Int128 value);

}  // namespace tally
