#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/harness/problems/instance.h"

namespace tally {
namespace {

using testing::Instance;

ProblemKey key_of(ScalarType type, std::int64_t n, const Knobs& knobs,
                  Distribution distribution = Distribution::uniform) {
  return {.family = "index_add",
          .type = type,
          .n = n,
          .knobs = knobs,
          .seed = testing::printed_seed(),
          .distribution = distribution};
}

std::int64_t index_at(Instance& instance, std::int64_t i) {
  return load_as_integer(instance.array("index"), instance.specs()[1].type, i);
}

/// The definition, in long double; x is stored rounded once at the end.
void answer(Instance& instance, std::int64_t skipped = -1) {
  const ProblemKey& key = instance.problem().key();
  const std::int64_t width = key.integer("width");
  const std::int64_t rows = instance.specs()[0].count / width;
  const bool along_rows = key.integer("dim") == 0;
  std::vector<long double> x(static_cast<std::size_t>(rows * width));
  for (std::size_t at = 0; at < x.size(); ++at) x[at] = instance.value("x", static_cast<std::int64_t>(at));
  for (std::int64_t i = 0; i < key.n; ++i) {
    const std::int64_t row = index_at(instance, i);
    ASSERT_GE(row, 0);
    ASSERT_LT(row, rows);
    if (i == skipped) continue;
    for (std::int64_t c = 0; c < width; ++c) {
      const std::int64_t from = along_rows ? i * width + c : c * key.n + i;
      const std::int64_t to = along_rows ? row * width + c : c * rows + row;
      x[static_cast<std::size_t>(to)] +=
          static_cast<long double>(key.number("alpha")) * instance.value("source", from);
    }
  }
  for (std::size_t at = 0; at < x.size(); ++at)
    instance.store("x", static_cast<std::int64_t>(at), static_cast<double>(x[at]));
}

class IndexAddCheck
    : public ::testing::TestWithParam<std::tuple<ScalarType, std::int64_t, std::string, Distribution>> {};

TEST_P(IndexAddCheck, AcceptsTheAnswerAndNothingElse) {
  const auto [type, dim, index_type, distribution] = GetParam();
  for (const std::int64_t n : {1, 31, 300}) {
    for (const std::int64_t duplicates : {1, 5, 0}) {
      for (const std::int64_t rows : {0, 17, 400}) {
        for (const double alpha : {1.0, -2.5}) {
          Instance instance(key_of(type, n,
                                   {{"duplicates", duplicates},
                                    {"rows", rows},
                                    {"width", std::int64_t{3}},
                                    {"dim", dim},
                                    {"alpha", alpha},
                                    {"index_type", index_type}},
                                   distribution));
          answer(instance);
          const CheckResult good = instance.check(1);
          ASSERT_TRUE(good.right) << instance.problem().key().id() << " " << good.where << " "
                                  << good.expected << " " << good.got;
          const std::int64_t count = instance.specs()[0].count;
          for (const std::int64_t at : {std::int64_t{0}, count - 1}) {
            const double before = instance.value("x", at);
            instance.store("x", at, std::numeric_limits<double>::quiet_NaN());
            EXPECT_EQ(instance.check().where, "element " + std::to_string(at));
            EXPECT_FALSE(instance.check().right);
            instance.store("x", at, before);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, IndexAddCheck,
    ::testing::Combine(::testing::Values(ScalarType::float32, ScalarType::float64, ScalarType::float16),
                       ::testing::Values(0, 1), ::testing::Values("int32", "int64"),
                       ::testing::ValuesIn(all_distributions().begin(), all_distributions().end())));

TEST(IndexAdd, FindsOneRowThatWasNotAdded) {
  for (const std::int64_t duplicates : {1, 7, 0}) {
    for (const std::int64_t skipped : {0, 50, 99}) {
      Instance instance(key_of(ScalarType::float32, 100, {{"duplicates", duplicates}}));
      answer(instance, skipped);
      EXPECT_FALSE(instance.check().right) << duplicates << " " << skipped;
    }
  }
}

TEST(IndexAdd, FindsAnUntouchedRowThatChanged) {
  Instance instance(key_of(ScalarType::float32, 10, {{"rows", std::int64_t{1000}}}));
  answer(instance);
  ASSERT_TRUE(instance.check().right);
  std::set<std::int64_t> named;
  for (std::int64_t i = 0; i < 10; ++i) named.insert(index_at(instance, i));
  EXPECT_EQ(named.size(), 10u);
  std::int64_t untouched = 0;
  while (named.contains(untouched)) ++untouched;
  const double before = instance.value("x", untouched * 16);
  instance.store("x", untouched * 16, before + ulp_at(ScalarType::float32, before));
  EXPECT_FALSE(instance.check().right);
}

TEST(IndexAdd, DuplicatesSayHowManyRowsAreNamed) {
  const auto named = [](std::int64_t n, std::int64_t duplicates, std::int64_t rows) {
    Instance instance(key_of(ScalarType::float32, n, {{"duplicates", duplicates}, {"rows", rows}}));
    std::set<std::int64_t> all;
    for (std::int64_t i = 0; i < n; ++i) all.insert(index_at(instance, i));
    return all.size();
  };
  EXPECT_EQ(named(1000, 1, 0), 1000u);
  EXPECT_EQ(named(1000, 1, 30), 30u);
  EXPECT_EQ(named(1000, 10, 0), 100u);
  EXPECT_EQ(named(1000, 0, 0), 1u);
  EXPECT_EQ(named(1000, 5000, 0), 1u);
}

TEST(IndexAdd, RefusesWhatItCannotMake) {
  const auto refused = [](const Knobs& knobs, ScalarType type = ScalarType::float32, std::int64_t n = 100) {
    return testing::refused_key(key_of(type, n, knobs));
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({}, ScalarType::float32, 0), "n");
  EXPECT_EQ(refused({{"dim", std::int64_t{2}}}), "dim");
  EXPECT_EQ(refused({{"dim", std::int64_t{-1}}}), "dim");
  EXPECT_EQ(refused({{"first_index", std::int64_t{-1}}}), "first_index");
  EXPECT_EQ(refused({{"first_index", std::int64_t{100}}}), "first_index");
  EXPECT_EQ(refused({{"first_index", std::int64_t{99}}}), "");
  EXPECT_EQ(refused({{"width", std::int64_t{0}}}), "width");
  EXPECT_EQ(refused({{"width", std::int64_t{1} << 62}}), "width");
  EXPECT_EQ(refused({{"rows", std::int64_t{-5}}}), "rows");
  EXPECT_EQ(refused({{"duplicates", std::int64_t{-1}}}), "duplicates");
  EXPECT_EQ(refused({{"alpha", 0.1}}), "alpha");
  EXPECT_EQ(refused({{"alpha", 1023.5}}, ScalarType::float16), "");
  EXPECT_EQ(refused({{"alpha", 1023.25}}, ScalarType::float16), "alpha");
  EXPECT_EQ(refused({{"duplicates", std::int64_t{0}}}, ScalarType::float16, 70000), "duplicates");
  EXPECT_EQ(refused({{"duplicates", std::int64_t{0}}}, ScalarType::float32, 70000), "");
}

TEST(IndexAdd, AnIndexBeyond32BitsIsRefusedForInt32) {
  ProblemKey key = key_of(ScalarType::float32, 100,
                          {{"duplicates", std::int64_t{1}},
                           {"rows", std::int64_t{1} << 32},
                           {"width", std::int64_t{1}},
                           {"dim", std::int64_t{0}},
                           {"alpha", 1.0},
                           {"first_index", std::int64_t{0}},
                           {"index_type", std::string("int64")}});
  EXPECT_NO_THROW(make_problem(key));
  key.knobs["index_type"] = std::string("int32");
  EXPECT_THROW(make_problem(key), ProblemError);
}

}  // namespace
}  // namespace tally
