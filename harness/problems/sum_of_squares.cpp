#include "harness/problems/sum_of_squares.h"

#include "harness/problems/check.h"

namespace tally {
namespace {

/// int32 holds digits, 0 … 9, as in the source of the family; a square of `exact`'s largest value, 3, is
/// three times that value, so that two bits are kept back for the sum.
InputSpec input_of(const ProblemKey& key) {
  constexpr int bits_of_squaring = 2;
  InputSpec spec =
      values_input(key.type, key.distribution, key.seed, key.n, precision_bits(key.type) - bits_of_squaring);
  const bool draws_below_bound = key.distribution != Distribution::exact &&  //
                                 key.distribution != Distribution::wide_exponents;
  if (key.type == ScalarType::int32 && draws_below_bound) spec.bound = 10;
  return spec;
}

class SumOfSquaresProblem final : public Problem {
 public:
  explicit SumOfSquaresProblem(const ProblemKey& key) : Problem(key), input_(input_of(key)) {
    if (key.n < 1) throw ProblemError("n", "sum_of_squares needs n of at least 1");
  }

  std::vector<BufferSpec> buffers() const override {
    return {{"x", BufferSpec::Role::input, key().type, key().n, input_},
            {"out", BufferSpec::Role::output, key().type, 1}};
  }

  double bytes() const override {
    return static_cast<double>(key().n + 1) * static_cast<double>(size_of(key().type));
  }

  CheckResult check(std::span<const void* const> outputs, std::optional<double> additions) const override {
    constexpr double roundings_of_a_square = 1;
    const double chain = additions.value_or(static_cast<double>(key().n)) + roundings_of_a_square;
    return check_sum(key().type, outputs[0], ExactSum{square_moments(input_), 2 * input_.fraction_bits},
                     chain, key().distribution == Distribution::exact);
  }

 private:
  InputSpec input_;
};

const FamilyRegistration registration({
    .name = "sum_of_squares",
    .description = "The squares of all elements, added up. int32 holds values 0 … 9 and adds up modulo 2^32.",
    .size_means = "elements",
    .types = {ScalarType::int32, ScalarType::float32, ScalarType::float64},
    .knobs = {},
    .make = [](const ProblemKey& key) { return std::make_unique<SumOfSquaresProblem>(key); },
});

}  // namespace
}  // namespace tally
