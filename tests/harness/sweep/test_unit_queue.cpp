#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "harness/sweep/unit_queue.h"

namespace tally {
namespace {

/// Problems of two kinds, of so many seconds each.
struct Work {
  explicit Work(const std::vector<std::pair<ScalarType, double>>& problems, int repetitions = 1) {
    for (const auto& [type, seconds] : problems) {
      Group group;
      group.problem = {"reduce", type, static_cast<std::int64_t>(plan.groups.size()) + 1,
                       {},       1,    Distribution::uniform};
      plan.groups.push_back(group);
      weights.push_back(seconds);
    }
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (std::size_t group = 0; group < plan.groups.size(); ++group)
        units.push_back({repetition, group, 0});
    }
  }
  UnitQueue queue(std::size_t workers) const { return {plan, weights, units, workers}; }

  Plan plan;
  std::vector<double> weights;
  std::vector<WorkUnit> units;
};

constexpr ScalarType one_kind = ScalarType::float32;
constexpr ScalarType other_kind = ScalarType::int32;

std::vector<std::size_t> taken_by(UnitQueue& queue, std::size_t worker, int count) {
  std::vector<std::size_t> groups;
  for (int i = 0; i < count; ++i) {
    const auto unit = queue.take(worker);
    if (unit) groups.push_back(unit->group);
  }
  return groups;
}

TEST(UnitQueue, OneWorkerKeepsTheOrderOfThePlan) {
  UnitQueue queue = Work({{one_kind, 1}, {other_kind, 9}, {one_kind, 5}}).queue(1);
  EXPECT_EQ(taken_by(queue, 0, 3), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.take(0));
}

TEST(UnitQueue, AWorkerGetsTheLongestOfAKindThatItKnows) {
  UnitQueue queue =
      Work({{one_kind, 1}, {one_kind, 2}, {other_kind, 4}, {other_kind, 3}, {one_kind, 3}}).queue(2);
  EXPECT_EQ(taken_by(queue, 0, 1), (std::vector<std::size_t>{2}));
  EXPECT_EQ(taken_by(queue, 1, 1), (std::vector<std::size_t>{4})) << "the other kind needs a worker more";
  EXPECT_EQ(taken_by(queue, 0, 1), (std::vector<std::size_t>{3}));
  EXPECT_EQ(taken_by(queue, 1, 2), (std::vector<std::size_t>{1, 0}));
}

TEST(UnitQueue, ALongOneOfAnotherKindIsNotLeftForTheEnd) {
  std::vector<std::pair<ScalarType, double>> problems(20, {one_kind, 2.0});
  problems.emplace_back(other_kind, 8.0);
  problems.emplace_back(one_kind, 9.0);
  UnitQueue queue = Work(problems).queue(2);
  EXPECT_EQ(taken_by(queue, 0, 2), (std::vector<std::size_t>{21, 20}))
      << "before 20 short ones of the kind it knows";
}

TEST(UnitQueue, AProblemStaysWithItsWorkerInAllRepetitions) {
  const Work work({{one_kind, 3}, {one_kind, 2}, {other_kind, 2}}, 3);
  UnitQueue queue = work.queue(2);
  std::map<std::size_t, std::set<std::size_t>> workers;
  std::vector<int> repetitions;
  for (std::size_t turn = 0; !queue.empty(); ++turn) {
    const auto unit = queue.take(turn % 2);
    if (!unit) continue;
    workers[unit->group].insert(turn % 2);
    repetitions.push_back(unit->repetition);
  }
  EXPECT_EQ(repetitions.size(), 9u);
  for (const auto& [group, had] : workers) EXPECT_EQ(had.size(), 1u) << group;
}

TEST(UnitQueue, WhatAWorkerHadIsOthersWhenItIsNoMore) {
  UnitQueue queue = Work({{one_kind, 3}, {one_kind, 2}}, 2).queue(2);
  const auto unit = queue.take(0);
  ASSERT_TRUE(unit);
  queue.put_back(*unit);
  EXPECT_EQ(taken_by(queue, 1, 1), (std::vector<std::size_t>{1})) << "not the one that was put back";
  EXPECT_EQ(taken_by(queue, 0, 1), (std::vector<std::size_t>{unit->group})) << "its owner goes on with it";
  queue.put_back(*unit);
  queue.release(0);
  EXPECT_EQ(taken_by(queue, 1, 4).size(), 3u);
  EXPECT_TRUE(queue.empty());
}

TEST(UnitQueue, WorkersAreAboutEquallyLongBusy) {
  const unsigned seed = 28;
  std::mt19937 random(seed);
  for (const std::size_t workers : {2u, 4u, 8u}) {
    std::vector<std::pair<ScalarType, double>> problems;
    for (int i = 0; i < 60; ++i)
      problems.emplace_back(i % 3 == 0 ? other_kind : one_kind,
                            1.0 + static_cast<double>(random() % 100) / 50);
    const Work work(problems);
    UnitQueue queue = work.queue(workers);
    std::vector<double> busy(workers, 0.0);
    while (!queue.empty()) {
      const auto first = std::min_element(busy.begin(), busy.end());
      *first += work.weights[queue.take(static_cast<std::size_t>(first - busy.begin()))->group];
    }
    const double all = std::accumulate(work.weights.begin(), work.weights.end(), 0.0);
    EXPECT_LT(*std::max_element(busy.begin(), busy.end()), all / static_cast<double>(workers) + 3)
        << workers << " workers, seed " << seed;
  }
}

}  // namespace
}  // namespace tally
