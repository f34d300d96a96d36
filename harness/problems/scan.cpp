#include "harness/problems/scan.h"

#include <algorithm>
#include <vector>

#include "harness/problems/elements.h"

namespace tally {
namespace {

class ScanProblem final : public Problem {
 public:
  explicit ScanProblem(const ProblemKey& key)
      : Problem(key),
        input_(values_input(key.type, key.distribution, key.seed, key.n, precision_bits(key.type))) {
    if (key.n < 1) throw ProblemError("n", "scan needs n of at least 1");
  }

  std::vector<BufferSpec> buffers() const override {
    return {{"x", BufferSpec::Role::input, key().type, key().n, input_},
            {"out", BufferSpec::Role::output, key().type, key().n}};
  }

  double bytes() const override {
    return 2 * static_cast<double>(key().n) * static_cast<double>(size_of(key().type));
  }

  CheckResult check(std::span<const void* const> outputs, std::optional<double> additions) const override {
    const std::vector<Sums> before = sums_before_blocks();
    const bool inclusive = key().text("kind") == "inclusive";
    return check_elements(key().type, outputs[0], key().n, input_.fraction_bits,
                          [&](std::int64_t first, std::int64_t last, ElementCheck& check) {
                            Sums sums = before[static_cast<std::size_t>(first / block)];
                            for (std::int64_t i = first / block * block; i < first; ++i)
                              sums.add(integer_at(input_, i));
                            for (std::int64_t i = first; i < last; ++i) {
                              const std::int64_t value = integer_at(input_, i);
                              if (inclusive) sums.add(value);
                              const double terms = static_cast<double>(inclusive ? i : i - 1);
                              check.near(i, sums.sum, sums.magnitudes,
                                         chain_of(std::max(terms, 0.0), additions));
                              if (!inclusive) sums.add(value);
                            }
                          });
  }

 private:
  struct Sums {
    Int128 sum = 0;
    Int128 magnitudes = 0;
    void add(Int128 value) {
      sum += value;
      magnitudes += value < 0 ? -value : value;
    }
  };

  static constexpr std::int64_t block = 1 << 16;

  /// What one prefix may be off by, after so many additions at most. An entry that says nothing of its order
  /// may add up one element after the other; then small terms can be lost to a large sum every time, and only
  /// the bound that always holds does.
  double chain_of(double terms, std::optional<double> additions) const {
    if (key().distribution == Distribution::exact) return 0;
    return additions ? allowed_chain(std::min(terms, *additions)) : terms;
  }

  /// What all elements before each block of the input add up to, so that every core can begin in the middle.
  std::vector<Sums> sums_before_blocks() const {
    const std::int64_t blocks = (key().n + block - 1) / block;
    std::vector<Sums> sums(static_cast<std::size_t>(blocks) + 1);
    on_all_cores(key().n, [&](std::int64_t first, std::int64_t last) {
      // A core adds up the blocks that begin in its part.
      for (std::int64_t b = (first + block - 1) / block; b * block < last; ++b) {
        for (std::int64_t i = b * block; i < std::min(key().n, (b + 1) * block); ++i)
          sums[static_cast<std::size_t>(b) + 1].add(integer_at(input_, i));
      }
    });
    for (std::size_t b = 1; b < sums.size(); ++b) {
      sums[b].sum += sums[b - 1].sum;
      sums[b].magnitudes += sums[b - 1].magnitudes;
    }
    return sums;
  }

  InputSpec input_;
};

const FamilyRegistration registration({
    .name = "scan",
    .description = "Prefix sums: every element and all before it, added up.",
    .size_means = "elements",
    .types = {ScalarType::float32, ScalarType::float64, ScalarType::int32, ScalarType::int64},
    .knobs = {{.name = "kind",
               .description = "inclusive: out[i] = x[0] + … + x[i]. exclusive: without x[i].",
               .default_value = std::string("inclusive"),
               .choices = {"inclusive", "exclusive"}}},
    .make = [](const ProblemKey& key) { return std::make_unique<ScanProblem>(key); },
});

}  // namespace
}  // namespace tally
