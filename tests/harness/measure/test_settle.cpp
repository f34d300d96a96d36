#include "harness/measure/settle.h"

#include <gtest/gtest.h>

#include "tests/harness/measure/fake_device.h"

namespace tally {
namespace {

constexpr double usual_trip = 7.5;

/// Each opening has the next of `gaps`, in µs; negative: none, as on a device whose times mean nothing. Round
/// trips are the next of `trips`, where there is one left.
class Openings {
 public:
  explicit Openings(std::vector<double> gaps, std::vector<double> trips = {})
      : gaps_(std::move(gaps)), trips_(std::move(trips)) {
    trips_.resize(gaps_.size(), usual_trip);
  }

  /// The gap of the one that was kept.
  double settle(const Settling& settling) {
    const std::unique_ptr<Device> kept = open_settled(
        [this]() -> std::unique_ptr<Device> {
          if (living > 0) throw std::logic_error("the one before is still there");
          const auto next = static_cast<std::size_t>(opened++);
          return std::make_unique<Opened>(gaps_.at(next), trips_.at(next), *this);
        },
        settling);
    EXPECT_FALSE(dynamic_cast<const Opened&>(*kept).left);
    const std::optional<Pace> pace = kept->pace();
    return pace ? pace->launch_gap * 1e6 : -1;
  }

  int opened = 0;
  int left = 0;
  int living = 0;

 private:
  class Opened final : public testing::FakeDevice {
   public:
    Opened(double gap, double trip, Openings& all) : gap_(gap), trip_(trip), all_(all) { ++all_.living; }
    ~Opened() override {
      --all_.living;
      all_.left += left;
    }
    std::optional<Pace> pace() override {
      if (gap_ < 0) return std::nullopt;
      return Pace{.launch_gap = gap_ * 1e-6, .round_trip = trip_ * 1e-6};
    }
    void leave_with_everything() override { left = true; }
    bool left = false;

   private:
    double gap_;
    double trip_;
    Openings& all_;
  };

  std::vector<double> gaps_;
  std::vector<double> trips_;
};

TEST(SettleTest, TakesTheFirstWhereOneIsAllowed) {
  Openings openings({2.1});
  EXPECT_NEAR(openings.settle({}), 2.1, 1e-9);
  EXPECT_EQ(openings.opened, 1);
}

TEST(SettleTest, KnownGapsNeedOneThatIsLikeThem) {
  Openings openings({2.14, 2.13, 2.02, 1.9});
  EXPECT_NEAR(openings.settle({.openings = 12, .best = {.launch_gap = 2.0e-6}}), 2.02, 1e-9);
  EXPECT_EQ(openings.opened, 3);
  EXPECT_EQ(openings.left, 2) << "those that were not kept leave nothing behind";
}

TEST(SettleTest, WithoutOneLooksAtHalfOfThemFirst) {
  constexpr int looked_at = 10;
  std::vector<double> gaps(looked_at, 2.14);
  gaps[0] = 2.0;
  gaps[1] = 2.01;
  gaps.push_back(2.03);
  Openings openings(gaps);
  EXPECT_NEAR(openings.settle({.openings = 2 * looked_at}), 2.03, 1e-9);
  EXPECT_EQ(openings.opened, looked_at + 1);
}

TEST(SettleTest, AShorterOneThanKnownIsTheNewMeasure) {
  Openings openings({1.9});
  EXPECT_NEAR(openings.settle({.openings = 12, .best = {.launch_gap = 2.0e-6}}), 1.9, 1e-9);
}

TEST(SettleTest, TheAnswerMustReachTheHostAsSoonToo) {
  Openings openings({2.01, 2.1, 2.02}, {8.4, 7.5, 7.6});
  EXPECT_NEAR(openings.settle({.openings = 12, .best = {.launch_gap = 2.0e-6, .round_trip = 7.4e-6}}), 2.02,
              1e-9);
  EXPECT_EQ(openings.opened, 3) << "the first has a long trip, the second a long gap";
}

TEST(SettleTest, InTheSecondHalfTheGapIsEnough) {
  Openings openings({2.01, 2.1, 2.02}, {8.4, 7.5, 8.3});
  EXPECT_NEAR(openings.settle({.openings = 4, .best = {.launch_gap = 2.0e-6, .round_trip = 7.4e-6}}), 2.02,
              1e-9);
  EXPECT_EQ(openings.opened, 3);
}

TEST(SettleTest, TheShorterOfEachIsKept) {
  const Pace both =
      shorter_of({.launch_gap = 2e-6, .round_trip = 7e-6}, {.launch_gap = 1e-6, .round_trip = 9e-6});
  EXPECT_EQ(both.launch_gap, 1e-6);
  EXPECT_EQ(both.round_trip, 7e-6);
  const Pace one = shorter_of({}, {.launch_gap = 3e-6, .round_trip = 8e-6});
  EXPECT_EQ(one.launch_gap, 3e-6) << "nothing is not shorter";
}

TEST(SettleTest, TakesTheLastWhereNoneIsAlike) {
  Openings openings({2.2, 2.3, 2.4});
  EXPECT_NEAR(openings.settle({.openings = 3, .best = {.launch_gap = 2.0e-6}}), 2.4, 1e-9);
  EXPECT_EQ(openings.left, 2);
}

TEST(SettleTest, DevicesWithoutAGapAreTakenAsTheyCome) {
  Openings openings({-1});
  EXPECT_NEAR(openings.settle({.openings = 12}), -1, 1e-9);
  EXPECT_EQ(openings.opened, 1);
}

}  // namespace
}  // namespace tally
