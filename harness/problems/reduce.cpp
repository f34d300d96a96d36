#include "harness/problems/reduce.h"

#include "harness/problems/check.h"

namespace tally {
namespace {

/// Bits that every accumulator of the family can hold exactly: those of the answer's type.
int exact_bits(ScalarType type) { return precision_bits(accumulator_of(type)); }

class ReduceProblem final : public Problem {
 public:
  explicit ReduceProblem(const ProblemKey& key)
      : Problem(key),
        answer_type_(accumulator_of(key.type)),
        input_(values_input(key.type, key.distribution, key.seed, key.n, exact_bits(key.type))),
        misaligned_by_(key.integer("misaligned_by")) {
    if (key.n < 1) throw ProblemError("n", "reduce needs n of at least 1");
    if (misaligned_by_ < 0) throw ProblemError("misaligned_by", "misaligned_by must be at least 0");
  }

  std::vector<BufferSpec> buffers() const override {
    return {{"x", BufferSpec::Role::input, key().type, key().n, input_, misaligned_by_},
            {"out", BufferSpec::Role::output, answer_type_, 1}};
  }

  double bytes() const override {
    return static_cast<double>(key().n) * static_cast<double>(size_of(key().type)) +
           static_cast<double>(size_of(answer_type_));
  }

  CheckResult check(std::span<const void* const> outputs, std::optional<double> additions) const override {
    const Moments moments = input_moments(input_);
    const std::string& op = key().text("op");
    if (op == "min") return check_equal(answer_type_, outputs[0], moments.smallest, input_.fraction_bits);
    if (op == "max") return check_equal(answer_type_, outputs[0], moments.largest, input_.fraction_bits);
    const ExactSum exact{moments, input_.fraction_bits, op == "mean" ? key().n : 1};
    return check_sum(answer_type_, outputs[0], exact, additions.value_or(static_cast<double>(key().n)),
                     key().distribution == Distribution::exact);
  }

 private:
  ScalarType answer_type_;
  InputSpec input_;
  std::int64_t misaligned_by_;
};

const FamilyRegistration registration({
    .name = "reduce",
    .description = "All elements of an array to one: sum, min, max or mean. Half types add up in float32, "
                   "int8 in int32.",
    .size_means = "elements",
    .types = {all_scalar_types().begin(), all_scalar_types().end()},
    .knobs = {{.name = "op",
               .description = "What the elements are combined with.",
               .default_value = std::string("sum"),
               .choices = {"sum", "min", "max", "mean"}},
              {.name = "misaligned_by",
               .description = "Elements by which the array begins after an aligned address.",
               .default_value = std::int64_t{0},
               .minimum = 0,
               .maximum = 63,
               .silent_default = true}},
    .make = [](const ProblemKey& key) { return std::make_unique<ReduceProblem>(key); },
});

}  // namespace
}  // namespace tally
