// One group: its checks, before and after timing, and what a fault costs.
#include "tests/harness/measure/group_test.h"

#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace tally {
namespace {

using testing::fake_entry;
using testing::FakeQueue;
using testing::GroupTest;
using testing::right_entry;
using testing::right_sum;

TEST_F(GroupTest, EveryCellHasItsRowWithTheTimesOfItsCalls) {
  add(right_entry("fast", 1e-3));
  add(right_entry("slow", 2e-3));
  group.baselines = {"reduce/fake/slow"};
  EXPECT_EQ(run(), GroupOutcome::done);
  ASSERT_EQ(seen.rows.size(), 2u);
  const Row& fast = seen.rows.at("reduce/fake/fast");
  EXPECT_NEAR(fast.median, 1e-3, 1e-9);
  EXPECT_EQ(fast.name, "reduce/fake/fast/op:sum/type:float32/n:4096/cold/device");
  EXPECT_EQ(fast.stop_reason, "precise");
  EXPECT_EQ(fast.series_of_samples.samples.size(), fast.series_of_samples.rounds.size());
  ASSERT_TRUE(fast.ratios.contains("reduce/fake/slow"));
  EXPECT_NEAR(fast.ratios.at("reduce/fake/slow").value, 2, 1e-6);
  EXPECT_FALSE(seen.rows.at("reduce/fake/slow").ratios.contains("reduce/fake/slow"));
  EXPECT_EQ(fast.check.launches, 5) << "the check before, three repeated, the check after";
  EXPECT_EQ(fast.check.distinct, 1);
  EXPECT_EQ(fast.check.distributions.size(), 5u);
  EXPECT_EQ(fast.check.distributions.at("cancelling").n, 4096);
  EXPECT_TRUE(seen.failures.empty());
  EXPECT_TRUE(device.living.empty()) << "all memory is given back";
}

TEST_F(GroupTest, ChecksComeBeforeAllTimingAndOnceMoreAfterIt) {
  add(right_entry("one", 1e-3));
  add(right_entry("two", 1e-3));
  run();
  const auto first_timed = std::find_if(seen.log.begin(), seen.log.end(), [](const std::string& line) {
    return line.find("pilot") != std::string::npos;
  });
  for (const char* name : {"one", "two"}) {
    const std::string checked = std::string(name) + ": check of the measured problem";
    EXPECT_LT(std::find(seen.log.begin(), seen.log.end(), checked), first_timed);
    EXPECT_NE(std::find(first_timed, seen.log.end(), std::string(name) + ": check after timing"),
              seen.log.end());
  }
}

TEST_F(GroupTest, AWrongAnswerAtAnOddSizeCostsTheRowAndPrintsBothValues) {
  add(fake_entry("drops_the_tail", [](const auto& problem, FakeQueue& queue) {
    float sum = 0;
    for (std::int64_t i = 0; i + 1 < problem.n || i == 0; ++i) sum += problem.x[i];
    if (problem.n % 32 == 0) sum += problem.x[problem.n - 1];
    *problem.out = sum;
    queue.now += 1e-3;
  }));
  add(right_entry("right", 1e-3));
  EXPECT_EQ(run(), GroupOutcome::done);
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_EQ(seen.failures[0].status, Failure::Status::wrong);
  EXPECT_NE(seen.failures[0].reason.find("n = 2, "), std::string::npos) << seen.failures[0].reason;
  EXPECT_NE(seen.failures[0].reason.find("expected "), std::string::npos);
  EXPECT_NE(seen.failures[0].reason.find("got "), std::string::npos);
  EXPECT_EQ(seen.rows.size(), 1u);
}

TEST_F(GroupTest, AnAnswerThatTurnsWrongAfterManyCallsIsCaughtAfterTiming) {
  auto calls = std::make_shared<int>(0);
  add(fake_entry("tires", [calls](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    if (++*calls > 40) *problem.out += 1;
  }));
  run();
  EXPECT_TRUE(seen.rows.empty());
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_NE(seen.failures[0].reason.find("after timing"), std::string::npos) << seen.failures[0].reason;
}

TEST_F(GroupTest, WritingOutOfBoundsIsSeenInTheGuardZonesAndSpoilsTheProcess) {
  add(fake_entry("overruns", [](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    problem.out[3] = 7;
  }));
  add(right_entry("right", 1e-3));
  EXPECT_EQ(run(), GroupOutcome::spoilt);
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_NE(seen.failures[0].reason.find("byte 8 after the end of out"), std::string::npos)
      << seen.failures[0].reason;
}

TEST_F(GroupTest, WritingBeforeTheStartIsSeenToo) {
  add(fake_entry("underruns", [](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    const_cast<float*>(problem.x)[-1] = 7;
  }));
  run();
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_NE(seen.failures[0].reason.find("byte 4 before the start of x"), std::string::npos)
      << seen.failures[0].reason;
}

TEST_F(GroupTest, WritingOverTheInputNeedsToBeDeclared) {
  const auto call = [](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    const_cast<float*>(problem.x)[0] = 77;
  };
  add(fake_entry("undeclared", call));
  Entry declared = fake_entry("declared", call);
  declared.destroys_input = true;
  add(std::move(declared));
  EXPECT_EQ(run(), GroupOutcome::done);
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_NE(seen.failures[0].reason.find("x[0] changed"), std::string::npos) << seen.failures[0].reason;
  EXPECT_EQ(seen.rows.count("reduce/fake/declared"), 1u) << "its input is restored before each call";
}

TEST_F(GroupTest, NobodyIsTimedOnAnInputThatAnotherHasDestroyed) {
  Entry destroyer = fake_entry("destroyer", [](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    std::fill_n(problem.x_in_place(), problem.n, 77.0f);
  });
  destroyer.destroys_input = true;
  add(std::move(destroyer));
  add_cell(*entries.back(), CacheState::warm, Clock::graph);
  float first = 0;
  int calls = 0;
  add(fake_entry("looker", [&](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    if (problem.n != group.problem.n) return;
    if (calls++ == 0) first = problem.x[5];
    EXPECT_NE(problem.x[5], 77.0f) << "call " << calls << " of " << first;
  }));
  add_cell(*entries.back(), CacheState::cold, Clock::graph);
  EXPECT_EQ(run(), GroupOutcome::done);
  EXPECT_TRUE(seen.failures.empty()) << seen.failures[0].reason;
  EXPECT_EQ(seen.rows.size(), 4u);
  EXPECT_GT(calls, 40);
}

TEST_F(GroupTest, AnEntryThatThrowsCostsItsOwnCellsAndTheProcess) {
  add(fake_entry("throws", [](const auto&, FakeQueue&) { throw DeviceError("an illegal address"); }));
  EXPECT_EQ(run(), GroupOutcome::spoilt);
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_EQ(seen.failures[0].status, Failure::Status::crashed);
  EXPECT_NE(seen.failures[0].reason.find("an illegal address"), std::string::npos);
}

TEST_F(GroupTest, ACallThatThrowsOnlyWhenTimedIsCaughtThere) {
  auto calls = std::make_shared<int>(0);
  add(fake_entry("throws_late", [calls](const auto& problem, FakeQueue& queue) {
    if (++*calls > 40) throw DeviceError("late");
    right_sum(problem, queue, 1e-3);
  }));
  EXPECT_EQ(run(), GroupOutcome::spoilt);
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_EQ(seen.failures[0].reason, "sampling: late");
}

TEST_F(GroupTest, LeakingHostMemoryIsWrong) {
  static std::vector<std::unique_ptr<char[]>> leaked;
  add(fake_entry("leaks", [](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    leaked.push_back(std::make_unique<char[]>(1 << 16));
  }));
  add(fake_entry("grows_now_and_then", [](const auto& problem, FakeQueue& queue) {
    static int calls = 0;
    right_sum(problem, queue, 1e-3);
    if (++calls % 3 == 0) leaked.push_back(std::make_unique<char[]>(1 << 20));
  }));
  run();
  leaked.clear();
  ASSERT_EQ(seen.failures.size(), 1u);
  const std::string& reason = seen.failures[0].reason;
  double kibibytes = 0;
  ASSERT_EQ(std::sscanf(reason.c_str(), "leaks memory: about %lf KiB of host memory a call", &kibibytes), 1)
      << reason;
  EXPECT_NEAR(kibibytes, 64, 1) << "the heap's own blocks come on top, and others of the process come and go";
}

TEST_F(GroupTest, KnownWrongIsRecordedAndNeverMeasured) {
  Entry wrong = fake_entry("as_published", [](const auto& problem, FakeQueue&) { *problem.out = -1; });
  wrong.known_wrong = "adds the wrong cell";
  add(std::move(wrong));
  Entry right = right_entry("right_after_all", 1e-3);
  right.known_wrong = "races";
  add(std::move(right));
  EXPECT_EQ(run(), GroupOutcome::done);
  EXPECT_TRUE(seen.rows.empty());
  ASSERT_EQ(seen.failures.size(), 2u);
  for (const Failure& failure : seen.failures) EXPECT_EQ(failure.status, Failure::Status::known_wrong);
  EXPECT_EQ(seen.failures[0].reason.rfind("adds the wrong cell (", 0), 0u) << seen.failures[0].reason;
  ASSERT_EQ(seen.warnings.size(), 1u);
}

TEST_F(GroupTest, AStaleAnswerIsNoAnswer) {
  check.sizes = {};
  check.distributions = {Distribution::uniform};
  auto calls = std::make_shared<int>(0);
  add(fake_entry("writes_once", [calls](const auto& problem, FakeQueue& queue) {
    queue.now += 1e-3;
    if (++*calls == 1) right_sum(problem, queue, 0);
  }));
  run();
  ASSERT_EQ(seen.failures.size(), 1u) << "outputs are poisoned before each checked call";
  EXPECT_TRUE(seen.rows.empty());
}

TEST_F(GroupTest, ScratchHoldsNothingFromTheCallBefore) {
  check.sizes = {};
  check.distributions = {Distribution::uniform};
  Entry entry = right_entry("trusts_scratch", 1e-3);
  entry.implementations[0].prepare = [](const Problem& problem, const Buffers& buffers, const Tuning&,
                                        Scratch& scratch) {
    const auto view = Reduce<float, Sum<float>>::bind(problem, buffers);
    auto* const partial = scratch.array<float>(1);
    auto* const own = scratch.zeroed_array<std::int32_t>(1);
    return Prepared{[=](DeviceQueue& queue) {
                      if (++*own == 1) *partial = 0;  // needed before each call
                      right_sum(view, dynamic_cast<FakeQueue&>(queue), 1e-3);
                      *view.out += *partial;
                    },
                    {}};
  };
  add(std::move(entry));
  run();
  ASSERT_EQ(seen.failures.size(), 1u) << "scratch is poisoned before each checked call";
  EXPECT_NE(seen.failures[0].reason.find("after timing"), std::string::npos) << seen.failures[0].reason;
}

TEST_F(GroupTest, DifferentBitsAreCountedNotPunished) {
  auto calls = std::make_shared<int>(0);
  add(fake_entry("wavers", [calls](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    if (problem.n == 4096 && ++*calls % 2 == 0) *problem.out = std::nextafter(*problem.out, 1e30F);
  }));
  check.distributions = {Distribution::uniform};
  run();
  ASSERT_EQ(seen.rows.size(), 1u);
  EXPECT_EQ(seen.rows.begin()->second.check.distinct, 2);
}

TEST_F(GroupTest, UnderLoadAllLaunchesAreMadeBesideItAndNothingIsTimedThere) {
  device.has_load = true;
  check.under_load = true;
  check.launches = 1000;
  add(right_entry("one", 1e-3));
  add(right_entry("two", 1e-3));
  run();
  ASSERT_EQ(seen.rows.size(), 2u);
  for (const auto& [name, row] : seen.rows) {
    EXPECT_TRUE(row.check.under_load);
    EXPECT_EQ(row.check.launches, 1000);
    EXPECT_EQ(row.check.distinct, 1);
  }
  EXPECT_EQ(device.calls_under_load, 2 * 998) << "the checks before and after look at the entry alone";
  EXPECT_FALSE(device.requests.empty());
  EXPECT_EQ(device.samples_under_load, 0);
  EXPECT_EQ(device.loads, 0);
}

TEST_F(GroupTest, ARowSaysUnderLoadOnlyWhereThereWasOneToTheEnd) {
  check.under_load = true;
  add(right_entry("one", 1e-3));
  run();
  ASSERT_EQ(seen.rows.size(), 1u);
  EXPECT_FALSE(seen.rows.begin()->second.check.under_load) << "the device has no load";
  seen = {};
  device.has_load = true;
  device.load_fails = true;
  run();
  EXPECT_FALSE(seen.rows.begin()->second.check.under_load) << "it broke off";
  seen = {};
  check.under_load = false;
  device.load_fails = false;
  device.calls_under_load = 0;
  run();
  EXPECT_FALSE(seen.rows.begin()->second.check.under_load) << "it was not asked for";
  EXPECT_EQ(device.calls_under_load, 0);
}

TEST_F(GroupTest, OneWrongAnswerInAThousandUnderLoadIsWrong) {
  device.has_load = true;
  check.under_load = true;
  check.launches = 1000;
  add(fake_entry("races_now_and_then", [this](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    if (device.calls_under_load == 700) *problem.out *= 2;
  }));
  run();
  EXPECT_TRUE(seen.rows.empty());
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_EQ(seen.failures[0].status, Failure::Status::wrong);
  EXPECT_EQ(seen.failures[0].reason.rfind("launch 701 of 1000, beside work of others: n = 4096, ", 0), 0u)
      << seen.failures[0].reason;
  EXPECT_EQ(device.loads, 0);
}

TEST_F(GroupTest, EveryNewAnswerIsHeldAgainstTheExactOne) {
  check.launches = 50;
  check.sizes = {};
  check.distributions = {Distribution::uniform};
  int calls = 0;
  add(fake_entry("races_now_and_then", [&calls](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-6);
    if (++calls == 20) *problem.out *= 2;
  }));
  run();
  EXPECT_TRUE(seen.rows.empty());
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_EQ(seen.failures[0].status, Failure::Status::wrong);
  EXPECT_EQ(seen.failures[0].reason.rfind("launch 20 of 50: n = 4096, ", 0), 0u) << seen.failures[0].reason;
}

TEST_F(GroupTest, AGroupThatCannotFitIsSkippedWithTheFigures) {
  device.free_bytes = 10000;
  add(right_entry("right", 1e-3));
  EXPECT_EQ(run(), GroupOutcome::done);
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_EQ(seen.failures[0].status, Failure::Status::skipped);
  EXPECT_NE(seen.failures[0].reason.find("need 17.00 KiB"), std::string::npos) << seen.failures[0].reason;
  EXPECT_NE(seen.failures[0].reason.find("9.77 KiB are free"), std::string::npos) << seen.failures[0].reason;
}

TEST_F(GroupTest, FindingsOfTheDeviceAreWrongAnswers) {
  add(fake_entry("races", [this](const auto& problem, FakeQueue& queue) {
    right_sum(problem, queue, 1e-3);
    device.findings = {"race in kernel k at k.cu:7"};
  }));
  run();
  ASSERT_EQ(seen.failures.size(), 1u);
  EXPECT_NE(seen.failures[0].reason.find("k.cu:7"), std::string::npos);
}

}  // namespace
}  // namespace tally
