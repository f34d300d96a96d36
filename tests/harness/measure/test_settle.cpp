#include "harness/measure/settle.h"

#include <gtest/gtest.h>

#include "tests/harness/measure/fake_device.h"

namespace tally {
namespace {

/// Each opening has the next of `gaps`, in µs; negative: none, as on a device whose times mean nothing.
class Openings {
 public:
  explicit Openings(std::vector<double> gaps) : gaps_(std::move(gaps)) {}

  /// The gap of the one that was kept.
  double settle(const Settling& settling) {
    const std::unique_ptr<Device> kept = open_settled(
        [this]() -> std::unique_ptr<Device> {
          if (living > 0) throw std::logic_error("the one before is still there");
          return std::make_unique<Opened>(gaps_.at(static_cast<std::size_t>(opened++)), *this);
        },
        settling);
    EXPECT_FALSE(dynamic_cast<const Opened&>(*kept).left);
    return kept->launch_gap().value_or(-1) * 1e6;
  }

  int opened = 0;
  int left = 0;
  int living = 0;

 private:
  class Opened final : public testing::FakeDevice {
   public:
    Opened(double gap, Openings& all) : gap_(gap), all_(all) { ++all_.living; }
    ~Opened() override {
      --all_.living;
      all_.left += left;
    }
    std::optional<double> launch_gap() override {
      return gap_ < 0 ? std::nullopt : std::optional(gap_ * 1e-6);
    }
    void leave_with_everything() override { left = true; }
    bool left = false;

   private:
    double gap_;
    Openings& all_;
  };

  std::vector<double> gaps_;
};

TEST(SettleTest, TakesTheFirstWhereOneIsAllowed) {
  Openings openings({2.1});
  EXPECT_NEAR(openings.settle({}), 2.1, 1e-9);
  EXPECT_EQ(openings.opened, 1);
}

TEST(SettleTest, KnownGapsNeedOneThatIsLikeThem) {
  Openings openings({2.14, 2.13, 2.02, 1.9});
  EXPECT_NEAR(openings.settle({.openings = 12, .known_gap = 2.0e-6}), 2.02, 1e-9);
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
  EXPECT_NEAR(openings.settle({.openings = 12, .known_gap = 2.0e-6}), 1.9, 1e-9);
}

TEST(SettleTest, TakesTheLastWhereNoneIsAlike) {
  Openings openings({2.2, 2.3, 2.4});
  EXPECT_NEAR(openings.settle({.openings = 3, .known_gap = 2.0e-6}), 2.4, 1e-9);
  EXPECT_EQ(openings.left, 2);
}

TEST(SettleTest, DevicesWithoutAGapAreTakenAsTheyCome) {
  Openings openings({-1});
  EXPECT_NEAR(openings.settle({.openings = 12}), -1e6, 1e-3);
  EXPECT_EQ(openings.opened, 1);
}

}  // namespace
}  // namespace tally
