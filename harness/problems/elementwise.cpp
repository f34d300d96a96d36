#include "harness/problems/elementwise.h"

#include <array>

#include "harness/problems/elements.h"

namespace tally {
namespace {

class ElementwiseProblem final : public Problem {
 public:
  explicit ElementwiseProblem(const ProblemKey& key)
      : Problem(key),
        inputs_(inputs_of_elementwise(key.text("op"))),
        misaligned_by_(key.integer("misaligned_by")) {
    if (key.n < 1) throw ProblemError("n", "elementwise needs n of at least 1");
    if (misaligned_by_ < 0) throw ProblemError("misaligned_by", "misaligned_by must be at least 0");
    for (int which = 0; which < 3; ++which) {
      specs_[static_cast<std::size_t>(which)] =
          values_input(key.type, key.distribution, mixed_bits(key.seed + static_cast<std::uint64_t>(which)),
                       key.n, precision_bits(key.type));
    }
  }

  std::vector<BufferSpec> buffers() const override {
    constexpr std::array names{"x", "y", "z"};
    std::vector<BufferSpec> all;
    for (std::size_t which = 0; which < static_cast<std::size_t>(inputs_); ++which) {
      all.push_back(
          {names[which], BufferSpec::Role::input, key().type, key().n, specs_[which], misaligned_by_});
    }
    all.push_back({"out", BufferSpec::Role::output, key().type, key().n, {}, misaligned_by_});
    return all;
  }

  double bytes() const override {
    return static_cast<double>(inputs_ + 1) * static_cast<double>(key().n) *
           static_cast<double>(size_of(key().type));
  }

  CheckResult check(std::span<const void* const> outputs, std::optional<double>) const override {
    // Products carry twice the inputs' power of two, and a third input is brought to the same.
    const int bits = specs_[0].fraction_bits;
    const Int128 unit = Int128{1} << bits;
    return check_elements(key().type, outputs[0], key().n, 2 * bits,
                          [&](std::int64_t first, std::int64_t last, ElementCheck& check) {
                            for (std::int64_t i = first; i < last; ++i) {
                              const Int128 x = integer_at(specs_[0], i);
                              const Int128 y = inputs_ > 1 ? integer_at(specs_[1], i) : x;
                              const Int128 z = inputs_ > 2 ? integer_at(specs_[2], i) * unit : 0;
                              check.rounded_once(i, x * y + z);
                            }
                          });
  }

 private:
  int inputs_;
  std::int64_t misaligned_by_;
  std::array<InputSpec, 3> specs_;
};

const FamilyRegistration registration({
    .name = "elementwise",
    .description = "A function of one, two or three arrays, element by element, rounded once.",
    .size_means = "elements",
    .types = {ScalarType::float16, ScalarType::bfloat16, ScalarType::float32, ScalarType::float64},
    .knobs = {{.name = "op",
               .description = "multiply: x·y. square: x·x. multiply_add: x·y + z, fused.",
               .default_value = std::string(Multiply::name),
               .choices = {Multiply::name, Square::name, MultiplyAdd::name}},
              {.name = "misaligned_by",
               .description = "Elements by which every array begins after an aligned address.",
               .default_value = std::int64_t{0},
               .minimum = 0,
               .maximum = 63}},
    .make = [](const ProblemKey& key) { return std::make_unique<ElementwiseProblem>(key); },
});

}  // namespace
}  // namespace tally
