#include "harness/measure/checker.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/problems/elementwise.h"
#include "tests/harness/measure/fake_device.h"

namespace tally {
namespace {

/// Notes which odd sizes were tried.
class SizesTried final : public Observer {
 public:
  void begin(const Cell&, const Activity& activity) override { tried.push_back(activity.what); }
  void turn(const Cell&, const Turn&) override {}
  void row(const Row&) override {}
  void failure(const Failure&) override {}
  void warning(const std::string&) override {}
  std::vector<std::string> tried;
};

Entry squares() {
  Entry entry;
  entry.family = "elementwise";
  entry.series = "fake";
  entry.name = "squares";
  entry.types = {ScalarType::float32};
  entry.implementations.push_back(
      {DeviceKind::host, ScalarType::float32, &Elementwise<float, Square>::serves,
       [](const Problem& problem, const Buffers& buffers, const Tuning&, Scratch&) {
         const auto view = Elementwise<float, Square>::bind(problem, buffers);
         return Prepared{[view](DeviceQueue&) {
                           for (std::int64_t i = 0; i < view.n; ++i) view.out[i] = view.op(view.x[i]);
                         },
                         {}};
       }});
  return entry;
}

class OddSizes : public ::testing::Test {
 protected:
  /// What was tried, in order.
  std::vector<std::string> tried(std::vector<std::int64_t> sizes) {
    CheckSettings settings;
    settings.sizes = std::move(sizes);
    Checker checker(settings, {});
    Cell cell;
    cell.entry = &entry;
    cell.device = DeviceKind::host;
    cell.problem = {"elementwise",
                    ScalarType::float32,
                    64,
                    {{"op", std::string("square")}, {"misaligned_by", std::int64_t{0}}}};
    SizesTried observer;
    verdict = checker.at_odd_sizes(cell, device, observer);
    return observer.tried;
  }

  static constexpr std::int64_t beyond_64_megabytes = (16 << 20) + 1;
  Entry entry = squares();
  testing::FakeDevice device;
  Verdict verdict;
};

TEST_F(OddSizes, AreTriedInEveryDistribution) {
  const auto seen = tried({33, 1});
  EXPECT_TRUE(verdict.right) << verdict.reason;
  ASSERT_EQ(seen.size(), 2 * all_distributions().size());
  EXPECT_EQ(seen.front(), "check at n = 1, uniform");
}

TEST_F(OddSizes, WithLargeOutputsArePassedOverWhereSmallerOnesWereTried) {
  for (const std::string& what : tried({1, beyond_64_megabytes, 33}))
    EXPECT_EQ(what.find("n = 16777217"), std::string::npos) << what;
}

TEST_F(OddSizes, WithLargeOutputsAreTriedOnceWhereThereAreNoOthers) {
  EXPECT_EQ(tried({beyond_64_megabytes, 2 * beyond_64_megabytes}),
            std::vector<std::string>{"check at n = 16777217, uniform"});
  EXPECT_TRUE(verdict.right) << verdict.reason;
}

/// The first call took a second, as where a kernel is loaded: a fifth of a second has room for none.
std::size_t answers_after_a_slow_call(bool has_load) {
  testing::FakeDevice device;
  device.has_load = has_load;
  CheckSettings settings;
  settings.launches = 200;
  settings.under_load = true;
  const Entry entry = testing::right_entry("right", 0);
  const auto problem = make_problem({.family = "reduce", .n = 33, .knobs = {{"op", std::string("sum")}}});
  Cell cell;
  cell.entry = &entry;
  cell.device = DeviceKind::host;
  cell.problem = problem->key();
  ProblemArrays arrays(device, *problem, false);
  arrays.fill_inputs(*problem);
  const Tuning tuning;
  PreparedEntry prepared(entry, tuning, *problem, arrays);
  SizesTried observer;
  std::vector<std::uint64_t> hashes;
  const Verdict verdict = Checker(settings, {}).repeatedly(prepared, cell, 1, 0, hashes, observer);
  EXPECT_TRUE(verdict.right) << verdict.reason;
  EXPECT_EQ(verdict.under_load, has_load);
  return hashes.size();
}

/// Counts the checks of each distribution. Its answer is `outputs` numbers.
class CountedProblem final : public Problem {
 public:
  explicit CountedProblem(const ProblemKey& key) : Problem(key) {}
  std::vector<BufferSpec> buffers() const override {
    return {{"x", BufferSpec::Role::input, key().type, key().n},
            {"out", BufferSpec::Role::output, key().type, key().integer("outputs")}};
  }
  double bytes() const override { return 0; }
  CheckResult check(std::span<const void* const>, std::optional<double>) const override {
    ++checks[key().distribution];
    return {};
  }
  static inline std::map<Distribution, int> checks;
};

const FamilyRegistration counted({
    .name = "counted_checks",
    .description = "Counts its checks.",
    .size_means = "elements",
    .types = {ScalarType::float32},
    .knobs = {{.name = "outputs", .description = "Numbers of the answer.", .default_value = std::int64_t{1}}},
    .make = [](const ProblemKey& key) { return std::make_unique<CountedProblem>(key); },
});

TEST(ExactAnswers, AreFoundAheadOnceForEachDistributionWhereTheyAreOneNumber) {
  CheckSettings settings;
  settings.distributions = {Distribution::uniform, Distribution::exact};
  const Checker checker(settings, {});
  ProblemKey key{"counted_checks", ScalarType::float32, 64};
  for (const Distribution measured : {Distribution::uniform, Distribution::cancelling}) {
    CountedProblem::checks.clear();
    key.distribution = measured;
    checker.find_exact_answers(key);
    const std::map<Distribution, int> once{
        {Distribution::uniform, 1}, {Distribution::exact, 1}, {measured, 1}};
    EXPECT_EQ(CountedProblem::checks, once);
  }
  CountedProblem::checks.clear();
  key.knobs = {{"outputs", std::int64_t{2}}};
  checker.find_exact_answers(key);
  EXPECT_TRUE(CountedProblem::checks.empty());
}

TEST(ExactAnswers, AreFoundAheadForEveryFamilyAndType) {
  const Checker checker(CheckSettings{}, {});
  for (const auto& [name, family] : families()) {
    for (const ScalarType type : family.types) {
      const ProblemKey key{name, type, 64};
      EXPECT_NO_THROW(checker.find_exact_answers(key)) << key.id();
    }
  }
}

TEST(RepeatedLaunches, AreAllMadeWhereTheyAreUnderLoad) {
  EXPECT_EQ(answers_after_a_slow_call(true), 199u);
  EXPECT_EQ(answers_after_a_slow_call(false), 3u);
}

}  // namespace
}  // namespace tally
