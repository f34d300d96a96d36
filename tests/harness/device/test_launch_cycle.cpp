#include "harness/device/cuda/launch_cycle.h"

#include <gtest/gtest.h>

#include <random>

namespace tally::cuda {
namespace {

/// A stream whose launches have places. A pair of kernels is slow where the first stands at the second or the
/// third place of four.
class FakeStream {
 public:
  explicit FakeStream(int launches) : launches_(launches) {}

  LaunchCycle::Stream stream() {
    return {.time_pair = [this] { return time(); }, .launch_empty = [this] { ++launches_; }, .lead = lead};
  }
  void call(int launches) { launches_ += launches; }
  int place() const { return launches_ % LaunchCycle::length; }
  int launches() const { return launches_; }

  static constexpr int lead = 2;
  bool has_a_pattern = true;
  double noise = 0;
  int timed = 0;

 private:
  double time() {
    ++timed;
    launches_ += lead;
    const bool slow = place() == 1 || place() == 2;
    launches_ += 2;
    std::uniform_real_distribution<double> late(0, noise);
    return 4.06 + (has_a_pattern && slow ? 0.87 : 0) + late(random_);
  }

  int launches_;
  std::mt19937 random_{19};
};

TEST(LaunchCycle, CallsBeginWhereTheyAreAskedToWhateverWasBefore) {
  for (int before = 0; before < LaunchCycle::length; ++before) {
    FakeStream fake(before);
    fake.noise = 0.05;
    LaunchCycle cycle(fake.stream());
    cycle.find();
    ASSERT_TRUE(cycle.is_known());
    int start = 0;
    for (const int kernels : {1, 2, 3, 24, 5, 2, 2, 2}) {
      cycle.align(start);
      fake.call(FakeStream::lead);
      constexpr int first_fast_place = 3;
      EXPECT_EQ(fake.place(), (first_fast_place + start++) % LaunchCycle::length);
      fake.call(kernels);
      cycle.launched(FakeStream::lead + kernels);
    }
  }
}

TEST(LaunchCycle, LookingLeavesTheStreamWhereItWas) {
  FakeStream fake(7);
  LaunchCycle cycle(fake.stream());
  cycle.find();
  const int next = cycle.next();
  fake.call(5);
  cycle.lose();
  cycle.find();
  EXPECT_EQ((cycle.next() - next + LaunchCycle::length) % LaunchCycle::length, 1) << "five launches on";
  const int timed = fake.timed;
  cycle.find();
  EXPECT_EQ(fake.timed, timed) << "it is known";
}

TEST(LaunchCycle, WithoutAPatternNothingIsDone) {
  FakeStream fake(0);
  fake.has_a_pattern = false;
  fake.noise = 0.1;
  LaunchCycle cycle(fake.stream());
  for (int i = 0; i < 10; ++i) {
    cycle.find();
    EXPECT_FALSE(cycle.is_known());
  }
  EXPECT_FALSE(cycle.is_looked_for());
  const int launches = fake.launches();
  cycle.align(1);
  cycle.find();
  EXPECT_EQ(fake.launches(), launches);
}

}  // namespace
}  // namespace tally::cuda
