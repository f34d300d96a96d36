#include "harness/sweep/time_spent.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

TEST(TimeSpent, EachAccountGetsWhatPassedUntilTheNext) {
  const TimeSpent::Instant start{};
  const auto at = [start](int seconds) { return start + std::chrono::seconds(seconds); };
  TimeSpent spent;
  spent.on("starts of workers", at(0));
  spent.on("sampling", at(2));
  spent.rest(at(5));
  spent.on("sampling", at(105));
  spent.rest(at(106));
  EXPECT_EQ(spent.seconds(), (std::map<std::string, double>{{"sampling", 4.0}, {"starts of workers", 2.0}}));
}

TEST(TimeSpent, ChecksAtSmallSizesAndOfTheProblemsAreToldApart) {
  EXPECT_EQ(account_of({"check at n = 31, uniform", Activity::Scope::entry, 0}), "checks at small sizes");
  EXPECT_EQ(account_of({"check after timing", Activity::Scope::problem, 0}),
            "checks of the measured problems");
  EXPECT_EQ(account_of({"sampling", Activity::Scope::cell, 0}), "sampling");
}

TEST(TimeSpent, InWordsTheLargestComesFirstAndWhatIsNothingIsLeftOut) {
  EXPECT_EQ(time_in_words(103, {{"pilot", 0.1}, {"repeated launches", 25}, {"sampling", 75}}),
            "1 min 43 s; of the workers' time 75% sampling, 25% repeated launches");
  EXPECT_EQ(time_in_words(2, {}), "2 s");
}

}  // namespace
}  // namespace tally
