#include "harness/measure/prepared_entry.h"

#include <gtest/gtest.h>

#include "tests/harness/measure/fake_device.h"

namespace tally {
namespace {

using testing::fake_entry;
using testing::FakeDevice;
using testing::FakeQueue;
using testing::right_entry;
using testing::right_sum;

/// Counts how often answers are brought to the host to be compared. A hash brings them too, on this device.
class CountingDevice final : public testing::FakeDevice {
 public:
  std::uint64_t hash(const void* array, std::int64_t bytes) override {
    const int before = answers_brought;
    const std::uint64_t found = FakeDevice::hash(array, bytes);
    answers_brought = before;
    return found;
  }
  void copy_to_host(void* target, const void* source, std::int64_t bytes) override {
    answers_brought += bytes == sizeof(float);
    FakeDevice::copy_to_host(target, source, bytes);
  }
  int answers_brought = 0;
};

class PreparedEntryTest : public ::testing::Test {
 protected:
  CheckedCall check(const Entry& entry) {
    PreparedEntry prepared(entry, {}, *problem, arrays, &right_answers);
    return prepared.check();
  }

  std::unique_ptr<Problem> problem =
      make_problem({"reduce", ScalarType::float32, 1000, {{"op", std::string("sum")}}});
  CountingDevice device;
  ProblemArrays arrays{device, *problem, false};
  RightAnswers right_answers;
};

TEST_F(PreparedEntryTest, BitsThatWereFoundRightAreNotComparedAgain) {
  const CheckedCall first = check(right_entry("first", 1e-6));
  EXPECT_TRUE(first.right);
  EXPECT_EQ(device.answers_brought, 1);
  const CheckedCall second = check(right_entry("second", 1e-6));
  EXPECT_TRUE(second.right);
  EXPECT_EQ(second.hash, first.hash);
  EXPECT_EQ(second.figures.ulp, first.figures.ulp);
  EXPECT_EQ(device.answers_brought, 1);
}

TEST_F(PreparedEntryTest, OtherBitsAreComparedWhateverWasRightBefore) {
  EXPECT_TRUE(check(right_entry("right", 1e-6)).right);
  const Entry wrong = fake_entry("wrong", [](const auto& view, FakeQueue& queue) {
    right_sum(view, queue, 1e-6);
    *view.out += 1;
  });
  for (int again = 0; again < 2; ++again) {
    const CheckedCall call = check(wrong);
    EXPECT_FALSE(call.right) << "wrong answers are not remembered as right ones";
    EXPECT_NE(call.reason.find("expected"), std::string::npos) << call.reason;
  }
}

TEST_F(PreparedEntryTest, AStricterEntryIsHeldAgainstItsOwnBound) {
  const auto off = [](const auto& view, FakeQueue& queue) {
    right_sum(view, queue, 1e-6);
    *view.out *= 1.00001f;  // dozens of units in the last place: what a chain of 1000 additions may lose
  };
  Entry loose = fake_entry("loose", off);
  loose.additions = [](const ProblemKey& key, const Tuning&) { return static_cast<double>(key.n); };
  Entry strict = fake_entry("strict", off);
  strict.additions = [](const ProblemKey&, const Tuning&) { return 1.0; };
  EXPECT_TRUE(check(loose).right);
  EXPECT_FALSE(check(strict).right);
}

TEST_F(PreparedEntryTest, AnInputThatWasWrittenOverIsNamedWithItsElement) {
  const Entry writes = fake_entry("writes", [](const auto& view, FakeQueue& queue) {
    right_sum(view, queue, 1e-6);
    const_cast<float*>(view.x)[17] += 1;
  });
  const CheckedCall call = check(writes);
  EXPECT_FALSE(call.right);
  EXPECT_NE(call.reason.find("x[17]"), std::string::npos) << call.reason;
}

}  // namespace
}  // namespace tally
