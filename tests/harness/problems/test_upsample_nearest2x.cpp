#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "harness/problems/upsample_nearest2x.h"
#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;
using Shape = std::vector<std::int64_t>;

ProblemKey key_of(ScalarType type, std::int64_t n, const std::string& direction, const Shape& shape,
                  Distribution distribution = Distribution::uniform) {
  return {.family = "upsample_nearest2x",
          .type = type,
          .n = n,
          .knobs = {{"direction", direction}, {"shape", shape}},
          .seed = testing::printed_seed(),
          .distribution = distribution};
}

/// The definition, with an index for every dimension.
void answer(Instance& instance, const Shape& shape, bool forward) {
  const std::int64_t h = shape[2];
  const std::int64_t w = shape[3];
  for (std::int64_t k = 0; k < shape[0] * shape[1]; ++k) {
    for (std::int64_t y = 0; y < h; ++y) {
      for (std::int64_t x = 0; x < w; ++x) {
        const std::int64_t small = (k * h + y) * w + x;
        double sum = 0;
        for (const std::int64_t dy : {0, 1}) {
          for (const std::int64_t dx : {0, 1}) {
            const std::int64_t large = (k * 2 * h + 2 * y + dy) * 2 * w + 2 * x + dx;
            if (forward) instance.store("out", large, instance.value("in", small));
            if (!forward) sum += instance.value("in", large);
          }
        }
        if (!forward) instance.store("out", small, sum);
      }
    }
  }
}

class UpsampleCheck
    : public ::testing::TestWithParam<std::tuple<ScalarType, std::string, Shape, Distribution>> {};

TEST_P(UpsampleCheck, AcceptsTheAnswerAndNothingElse) {
  const auto [type, direction, shape, distribution] = GetParam();
  const bool forward = direction == "forward";
  const std::int64_t n = shape[0] * shape[1] * shape[2] * shape[3];
  Instance instance(key_of(type, n, direction, shape, distribution));
  EXPECT_FALSE(instance.check().right) << "a poisoned output passed";
  answer(instance, shape, forward);
  const CheckResult good = instance.check();
  ASSERT_TRUE(good.right) << good.where << " " << good.expected << " " << good.got;
  const std::int64_t outputs = forward ? 4 * n : n;
  for (const std::int64_t at : {std::int64_t{0}, outputs / 2, outputs - 1}) {
    const double before = instance.value("out", at);
    for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), before + 1}) {
      instance.store("out", at, wrong);
      EXPECT_FALSE(instance.check().right);
      EXPECT_EQ(instance.check().where, "element " + std::to_string(at));
    }
    instance.store("out", at, before);
  }
}

INSTANTIATE_TEST_SUITE_P(All, UpsampleCheck,
                         ::testing::Combine(::testing::Values(ScalarType::float32, ScalarType::float16),
                                            ::testing::Values("forward", "backward"),
                                            ::testing::Values(Shape{1, 1, 1, 1}, Shape{2, 3, 5, 7},
                                                              Shape{1, 4, 1, 33}, Shape{3, 1, 8, 1}),
                                            ::testing::ValuesIn(all_distributions().begin(),
                                                                all_distributions().end())));

TEST(Upsample, FindsASumThatLacksAnElement) {
  const Shape shape{1, 2, 10, 10};
  Instance instance(key_of(ScalarType::float16, 200, "backward", shape));
  answer(instance, shape, false);
  for (std::int64_t i = 0; i < 200; ++i) {
    const double missing = instance.value("in", i / 10 * 40 + i % 10 * 2 + 21);
    if (missing < 0.01) continue;
    const double before = instance.value("out", i);
    instance.store("out", i, before - missing);
    EXPECT_FALSE(instance.check().right) << i;
    instance.store("out", i, before);
  }
}

TEST(Upsample, FindsRowsThatAreExchanged) {
  const Shape shape{1, 1, 2, 3};
  Instance instance(key_of(ScalarType::float32, 6, "forward", shape));
  answer(instance, shape, true);
  for (std::int64_t x = 0; x < 6; ++x) {
    const double upper = instance.value("out", 6 + x);
    instance.store("out", 6 + x, instance.value("out", 12 + x));
    instance.store("out", 12 + x, upper);
  }
  EXPECT_FALSE(instance.check().right);
}

TEST(Upsample, AShapeLeavesOpenWhatTheSizeSays) {
  const auto shape_of = [](std::int64_t n, const Shape& shape) {
    std::string text;
    for (const std::int64_t extent : upsampled_shape(key_of(ScalarType::float32, n, "forward", shape)))
      text += std::to_string(extent) + " ";
    return text;
  };
  EXPECT_EQ(shape_of(1 << 20, {1, 1, 0, 0}), "1 1 1024 1024 ");
  EXPECT_EQ(shape_of(24, {1, 2, 0, 0}), "1 2 3 4 ");
  EXPECT_EQ(shape_of(31, {1, 1, 0, 0}), "1 1 1 31 ");
  EXPECT_EQ(shape_of(600, {0, 3, 10, 10}), "2 3 10 10 ");
  EXPECT_EQ(shape_of(3276800, {16, 32, 80, 80}), "16 32 80 80 ");
}

TEST(Upsample, RefusesShapesThatAreNone) {
  const auto refused = [](std::int64_t n, const Shape& shape) {
    return testing::refused_key(key_of(ScalarType::float32, n, "forward", shape));
  };
  EXPECT_EQ(refused(0, {1, 1, 0, 0}), "n");
  EXPECT_EQ(refused(10, {1, 1, 2, 4}), "shape");
  EXPECT_EQ(refused(10, {1, 1, 10}), "shape");
  EXPECT_EQ(refused(10, {1, 1, -1, 10}), "shape");
  EXPECT_EQ(refused(10, {0, 0, 1, 10}), "shape");
  EXPECT_EQ(refused(10, {0, 3, 1, 1}), "shape");
  const std::int64_t large = std::int64_t{1} << 32;
  EXPECT_EQ(refused(10, {large, large, 1, 1}), "shape");
  EXPECT_EQ(refused(10, {1, 1, 1 << 30, large}), "shape");
}

}  // namespace
}  // namespace tally
