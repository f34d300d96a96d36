#include "harness/problems/upsample_nearest2x.h"

#include <algorithm>
#include <cmath>

#include "harness/problems/elements.h"

namespace tally {
namespace {

constexpr std::int64_t most_elements = INT64_MAX / 64;  // the large images and their bytes can be counted

[[noreturn]] void refuse_shape(const std::string& why) { throw ProblemError("shape", why); }

/// The largest divisor of n that is no larger than its square root.
std::int64_t shorter_side(std::int64_t n) {
  auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  while (side > 1 && n % side != 0) --side;
  return std::max<std::int64_t>(side, 1);
}

}  // namespace

std::vector<std::int64_t> upsampled_shape(const ProblemKey& key) {
  if (key.n < 1) throw ProblemError("n", "upsample_nearest2x needs n of at least 1");
  if (key.n > most_elements)
    throw ProblemError("n", "n = " + std::to_string(key.n) + " is beyond 64-bit indices");
  std::vector<std::int64_t> shape = std::get<std::vector<std::int64_t>>(key.knobs.at("shape"));
  const std::string text = to_string(key.knobs.at("shape"));
  if (shape.size() != 4) refuse_shape("shape " + text + " has to be [n, c, h, w]");
  std::int64_t known = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) refuse_shape("shape " + text + " has a negative extent");
    if (extent > 0 && (__builtin_mul_overflow(known, extent, &known) || known > most_elements))
      refuse_shape("the product of shape " + text + " is beyond 64-bit indices");
  }
  const auto zeros = std::count(shape.begin(), shape.end(), 0);
  const bool square = zeros == 2 && shape[2] == 0 && shape[3] == 0;
  if (zeros > 1 && !square)
    refuse_shape("shape " + text + " leaves open more than one extent that is not h and w");
  if (zeros == 0 ? known != key.n : key.n % known != 0) {
    refuse_shape("shape " + text + " does not go with n = " + std::to_string(key.n) +
                 ": n counts the elements of the small images, n·c·h·w");
  }
  if (square) {
    shape[2] = shorter_side(key.n / known);
    shape[3] = key.n / known / shape[2];
  } else if (zeros == 1) {
    *std::find(shape.begin(), shape.end(), 0) = key.n / known;
  }
  return shape;
}

namespace {

class UpsampleProblem final : public Problem {
 public:
  explicit UpsampleProblem(const ProblemKey& key)
      : Problem(key),
        forward_(key.text("direction") == Forward::name),
        width_(upsampled_shape(key)[3]),
        input_(values_input(key.type, key.distribution, key.seed, forward_ ? key.n : 4 * key.n,
                            precision_bits(key.type))) {}

  std::vector<BufferSpec> buffers() const override {
    return {{"in", BufferSpec::Role::input, key().type, input_.count, input_},
            {"out", BufferSpec::Role::output, key().type, forward_ ? 4 * key().n : key().n}};
  }

  double bytes() const override {
    return 5 * static_cast<double>(key().n) * static_cast<double>(size_of(key().type));
  }

  CheckResult check(std::span<const void* const> outputs, std::optional<double>) const override {
    // By element of the small images in both directions: each large element belongs to exactly one.
    return check_elements(key().type, outputs[0], key().n, input_.fraction_bits,
                          [this](std::int64_t first, std::int64_t last, ElementCheck& check) {
                            for (std::int64_t i = first; i < last; ++i) {
                              if (forward_) {
                                check_square(i, check);
                              } else {
                                check_sum_of_square(i, check);
                              }
                            }
                          });
  }

 private:
  void check_square(std::int64_t element, ElementCheck& check) const {
    const std::int64_t value = integer_at(input_, element);
    const std::int64_t corner = corner_of_square(element, width_);
    for (const std::int64_t at : {corner, corner + 1, corner + 2 * width_, corner + 2 * width_ + 1})
      check.rounded_once(at, value);
  }

  void check_sum_of_square(std::int64_t element, ElementCheck& check) const {
    const std::int64_t corner = corner_of_square(element, width_);
    Int128 sum = 0;
    Int128 magnitudes = 0;
    for (const std::int64_t at : {corner, corner + 1, corner + 2 * width_, corner + 2 * width_ + 1}) {
      const std::int64_t value = integer_at(input_, at);
      sum += value;
      magnitudes += value < 0 ? -value : value;
    }
    constexpr double additions = 3;
    check.near(element, sum, magnitudes, key().distribution == Distribution::exact ? 0 : additions);
  }

  bool forward_;
  std::int64_t width_;
  InputSpec input_;
};

const FamilyRegistration registration({
    .name = "upsample_nearest2x",
    .description = "Images of twice the height and width, each element repeated in a 2×2 square; and the way "
                   "back, the sum of each square.",
    .size_means = "elements of the small images",
    .types = {ScalarType::float32, ScalarType::float16},
    .knobs = {{.name = "direction",
               .description = "forward: small images to large ones. backward: sums of squares.",
               .default_value = std::string(Forward::name),
               .choices = {Forward::name, Backward::name}},
              {.name = "shape",
               .description =
                   "[n, c, h, w] of the small images; the size is their product. A 0 stands for what "
                   "follows from the size; h and w both 0, for sides as equal as it allows.",
               .default_value = std::vector<std::int64_t>{1, 1, 0, 0}}},
    .make = [](const ProblemKey& key) { return std::make_unique<UpsampleProblem>(key); },
});

}  // namespace
}  // namespace tally
