#include "harness/problems/dot.h"

#include <algorithm>
#include <cmath>

#include "harness/problems/check.h"

namespace tally {
namespace {

constexpr double largest_half = 65504;

/// 0.1 everywhere, as the source fills its arrays: float16's 0.1, or bfloat16's, which all wider types hold.
InputSpec tenths(ScalarType type, std::int64_t n) {
  InputSpec spec;
  spec.count = n;
  spec.fraction_bits = type == ScalarType::bfloat16 ? 11 : 14;
  spec.offset = type == ScalarType::bfloat16 ? 205 : 1638;
  return spec;
}

/// No value of the input is larger.
double largest_value(const InputSpec& spec) {
  const std::int64_t largest = (spec.bound << (spec.exponent_range - 1)) + spec.offset;
  return std::ldexp(static_cast<double>(largest), -spec.fraction_bits);
}

/// 1, 2 or 3 everywhere.
InputSpec small_integers(std::uint64_t seed, std::int64_t n) {
  InputSpec spec;
  spec.seed = seed;
  spec.count = n;
  spec.bound = 3;
  spec.offset = 1;
  return spec;
}

InputSpec ones(std::int64_t n) {
  InputSpec spec;
  spec.count = n;
  spec.offset = 1;
  return spec;
}

class DotProblem final : public Problem {
 public:
  explicit DotProblem(const ProblemKey& key) : Problem(key) {
    if (key.n < 1) throw ProblemError("n", "dot needs n of at least 1");
    const bool own = key.text("accumulate") == "own";
    if (own && size_of(key.type) == 2 && key.type != ScalarType::float16) {
      throw ProblemError("accumulate",
                         "a dot product accumulates in the elements' own type for float16, "
                         "float32 and float64; for " +
                             std::string(name_of(key.type)) + " use \"wide\"");
    }
    answer_type_ = own ? key.type : accumulator_of(key.type);
    choose_inputs();
    if (answer_type_ == ScalarType::float16) refuse_overflow();
  }

  std::vector<BufferSpec> buffers() const override {
    return {{"x", BufferSpec::Role::input, key().type, key().n, x_},
            {"y", BufferSpec::Role::input, key().type, key().n, y_},
            {"out", BufferSpec::Role::output, answer_type_, 1}};
  }

  double bytes() const override {
    return 2 * static_cast<double>(key().n) * static_cast<double>(size_of(key().type)) +
           static_cast<double>(size_of(answer_type_));
  }

  CheckResult check(std::span<const void* const> outputs, std::optional<double> additions) const override {
    const ExactSum exact{terms(), x_.fraction_bits + y_.fraction_bits};
    // A product is rounded, and then added. Halves that stall, and sums in an order that nobody has declared
    // (one term after the other, that is), lose small terms to large sums every time.
    const double chain = additions.value_or(static_cast<double>(key().n)) + 1;
    const bool certain = answer_type_ == ScalarType::float16 || !additions.has_value();
    return check_sum(answer_type_, outputs[0], exact, chain, every_order_is_exact_,
                     certain ? ErrorBound::certain : ErrorBound::probable);
  }

 private:
  void choose_inputs() {
    const ProblemKey& k = key();
    const std::uint64_t second_seed = mixed_bits(k.seed);
    const std::string& values = k.text("values");
    if (values == "tenths") {
      x_ = y_ = tenths(k.type, k.n);
      return;
    }
    every_order_is_exact_ = values == "fitting" || k.distribution == Distribution::exact;
    if (every_order_is_exact_) {
      // |y| is at most 3: two bits of what the accumulator holds are its.
      const int exact_bits = precision_bits(answer_type_) - 2;
      x_ = values_input(k.type, Distribution::exact, k.seed, k.n, exact_bits);
      y_ = small_integers(second_seed, k.n);
      return;
    }
    x_ = values_input(k.type, k.distribution, k.seed, k.n, 0);
    // Products of neighbours cancel where one side is constant.
    y_ = k.distribution == Distribution::cancelling
             ? ones(k.n)
             : values_input(k.type, k.distribution, second_seed, k.n, 0);
  }

  Moments terms() const { return product_moments(x_, y_); }

  void refuse_overflow() {
    if (every_order_is_exact_) return;
    if (largest_value(x_) * largest_value(y_) * static_cast<double>(key().n) <= largest_half) return;
    const double exact = scaled(terms().sum, x_.fraction_bits + y_.fraction_bits);
    if (std::fabs(exact) <= largest_half) return;
    throw ProblemError("accumulate", "the exact answer, " + printed(ScalarType::float32, exact) +
                                         ", is beyond float16's largest value, 65504: use \"wide\", "
                                         "a smaller n, or values \"fitting\"");
  }

  ScalarType answer_type_ = ScalarType::float32;
  InputSpec x_;
  InputSpec y_;
  bool every_order_is_exact_ = false;
};

const FamilyRegistration registration({
    .name = "dot",
    .description = "The dot product of two arrays.",
    .size_means = "elements of one array",
    .types = {ScalarType::float16, ScalarType::bfloat16, ScalarType::float32, ScalarType::float64},
    .knobs =
        {{.name = "accumulate",
          .description = "The type of the answer and of the error that is allowed: wide (float32 for half "
                         "types) or own (the elements').",
          .default_value = std::string("wide"),
          .choices = {"wide", "own"}},
         {.name = "values",
          .description = "drawn: as the distribution has them. fitting: small integers among zeros, so "
                         "that every partial sum fits every accumulator. tenths: 0.1 everywhere, on which "
                         "a float16 accumulator stops growing at 32.",
          .default_value = std::string("drawn"),
          .choices = {"drawn", "fitting", "tenths"}}},
    .make = [](const ProblemKey& key) { return std::make_unique<DotProblem>(key); },
});

}  // namespace
}  // namespace tally
