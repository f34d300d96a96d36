#include "tests/calibration/calibration.h"

#include <memory>

#include "harness/problems/check.h"
#include "harness/problems/elements.h"
#include "harness/problems/exact.h"

namespace tally {
namespace {

class CalibrationProblem final : public Problem {
 public:
  explicit CalibrationProblem(const ProblemKey& key)
      : Problem(key), input_(values_input(key.type, key.distribution, key.seed, key.n, 31)) {}

  std::vector<BufferSpec> buffers() const override {
    std::vector<BufferSpec> all{{"x", BufferSpec::Role::input, key().type, key().n, input_}};
    if (outputs() > 0) all.push_back({"out", BufferSpec::Role::output, key().type, outputs()});
    return all;
  }

  double bytes() const override {
    const auto array = static_cast<double>(key().n) * static_cast<double>(size_of(key().type));
    return is("nothing") ? 0 : is("read") ? array : 2 * array;
  }

  CheckResult check(std::span<const void* const> answers, std::optional<double>) const override {
    if (is("nothing")) return {};
    if (is("copy")) {
      return check_elements(key().type, answers[0], key().n, 0,
                            [&](std::int64_t first, std::int64_t last, ElementCheck& found) {
                              for (std::int64_t i = first; i < last; ++i)
                                found.rounded_once(i, integer_at(input_, i));
                            });
    }
    const auto* sums = static_cast<const std::int32_t*>(answers[0]);
    std::uint32_t total = 0;
    for (std::int64_t i = 0; i < calibration_sums; ++i) total += static_cast<std::uint32_t>(sums[i]);
    return check_equal(key().type, &total, wrapped(key().type, input_moments(input_).sum), 0);
  }

 private:
  bool is(const char* work) const { return key().text("work") == work; }
  std::int64_t outputs() const { return is("nothing") ? 0 : is("read") ? calibration_sums : key().n; }

  InputSpec input_;
};

const FamilyRegistration registration({
    .name = name_of_Calibration,
    .description = "What the ceilings measure, measured as any problem is.",
    .size_means = "elements",
    .types = {ScalarType::int32},
    .knobs = {{.name = "work",
               .description = "nothing, read or copy.",
               .default_value = std::string("nothing"),
               .choices = {"nothing", "read", "copy"}}},
    .make = [](const ProblemKey& key) { return std::make_unique<CalibrationProblem>(key); },
});

}  // namespace
}  // namespace tally
