#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "harness/sweep/estimate.h"
#include "harness/sweep/shard.h"
#include "tests/harness/sweep/planted.h"

namespace tally {
namespace {

using planted::message_of;
using planted::names;

template <typename Value>
std::string some_of(std::mt19937& random, const std::vector<Value>& values, const std::string& quote) {
  std::string list;
  for (const Value& value : values) {
    if (random() % 2 == 0) continue;
    std::ostringstream text;
    text << quote << value << quote;
    list += (list.empty() ? "" : ", ") + text.str();
  }
  std::ostringstream first;
  first << quote << values.front() << quote;
  return "[" + (list.empty() ? first.str() : list) + "]";
}

std::string random_run(std::mt19937& random) {
  std::vector<int> sizes;
  for (int i = 0; i < 12; ++i) sizes.push_back(1 + static_cast<int>(random() % (1u << (random() % 24 + 1))));
  return R"({"family": "reduce", "op": )" + some_of<std::string>(random, {"sum", "max", "mean"}, "\"") +
         R"(, "types": )" + some_of<std::string>(random, {"float32", "int32"}, "\"") + R"(, "sizes": )" +
         some_of(random, sizes, "") + "}";
}

Plan plan_of(const std::vector<std::string>& runs) {
  std::string text;
  for (const std::string& run : runs) text += (text.empty() ? "" : ", ") + run;
  return make_plan(parse_config("{\"runs\": [" + text + "]}", "random.json"), DeviceKind::cuda, {},
                   planted::catalog());
}

std::map<std::string, int> shards_of_cells(const Plan& plan, int count) {
  std::map<std::string, int> where;
  for (int i = 0; i < count; ++i) {
    for (const std::string& name : names(sharded(plan, {i, count}))) {
      EXPECT_FALSE(where.contains(name)) << name << " is in two shards";
      where[name] = i;
    }
  }
  return where;
}

TEST(Shards, AreDisjointCompleteWholeProblemsAndStable) {
  const unsigned seed = 8128;
  std::mt19937 random(seed);
  for (int count = 1; count <= 64; ++count) {
    const std::vector<std::string> runs = {random_run(random), random_run(random)};
    const Plan plan = plan_of(runs);
    const auto where = shards_of_cells(plan, count);
    const auto all = names(plan);
    ASSERT_EQ(where.size(), all.size()) << "seed " << seed << ", " << count << " shards: not complete";

    std::map<std::string, int> of_problem;
    for (const Group& group : plan.groups) {
      for (const Cell& cell : group.cells) {
        const auto [known, is_new] = of_problem.emplace(group.problem.id(), where.at(cell.name()));
        ASSERT_EQ(known->second, where.at(cell.name())) << group.problem.id() << " is split";
      }
    }

    // More cells elsewhere, in another order: what was there stays where it was.
    const auto more =
        shards_of_cells(plan_of({random_run(random), runs[1], random_run(random), runs[0]}), count);
    for (const auto& [name, shard] : where) ASSERT_EQ(more.at(name), shard) << name << " moved";
  }
}

TEST(Shards, SkippedAndLeftOutCellsGoWithTheirProblem) {
  const Plan plan = planted::plan(R"("sizes": [7, 9, 11, 13, 100, 1000, 5000], "entries": ["reduce/*"])",
                                  DeviceKind::simt, {}, R"("simt": {"max_n": 1024})");
  std::size_t skipped = 0;
  std::size_t left_out = 0;
  for (int i = 0; i < 3; ++i) {
    const Plan part = sharded(plan, {i, 3});
    skipped += part.skipped.size();
    left_out += part.left_out.size();
  }
  EXPECT_EQ(skipped, plan.skipped.size());
  EXPECT_EQ(left_out, plan.left_out.size());
  EXPECT_GT(skipped, 0u);
  EXPECT_GT(left_out, 0u);
}

TEST(Shards, DoNotDependOnTheMachine) {
  // Written down once: a change would tear apart studies that are half done.
  ProblemKey key{"reduce", ScalarType::float32, 1024, {{"op", std::string("sum")}}, 1, Distribution::uniform};
  std::vector<int> shards;
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{1024}, std::int64_t{1000003}, std::int64_t{1} << 28}) {
    key.n = n;
    shards.push_back(shard_of(key, 64));
  }
  EXPECT_EQ(shards, (std::vector<int>{26, 38, 45, 46}));
  key.seed = 7;  // not part of the problem
  EXPECT_EQ(shard_of(key, 64), shards.back());
}

TEST(Shards, OfASweepTakeAboutEquallyLong) {
  const Sweep sweep = parse_config(
      R"({"runs": [{"family": "reduce", "types": ["float32", "int32"], "op": ["sum", "max", "min"],
           "sizes": {"from": 1024, "to": 268435456, "factor": 4}}]})",
      "sweep.json");
  const Plan plan = make_plan(sweep, DeviceKind::cuda, {}, planted::catalog());
  const auto work = [&sweep](const Plan& part) {
    double seconds = 0;
    for (const Group& group : part.groups) seconds += estimated_seconds(group, sweep);
    return seconds;
  };
  double longest_problem = 0;
  for (const Group& group : plan.groups) {
    longest_problem = std::max(longest_problem, estimated_seconds(group, sweep));
  }
  for (int count = 2; count <= 8; ++count) {
    double longest = 0;
    for (int i = 0; i < count; ++i) longest = std::max(longest, work(sharded(plan, {i, count})));
    // A hash of the problem alone leaves shards of twice this.
    EXPECT_LT(longest, work(plan) / count + 1.5 * longest_problem) << count << " shards";
  }
}

TEST(Shards, OfRandomConfigsAreBalanced) {
  const unsigned seed = 496;
  std::mt19937 random(seed);
  for (int count = 1; count <= 64; ++count) {
    std::vector<std::string> runs;
    for (int run = 0; run < 6; ++run) runs.push_back(random_run(random));
    const Plan plan = plan_of(runs);
    const Sweep sweep = parse_config(R"({"runs": [{"family": "reduce", "sizes": [1]}]})", "any.json");
    double longest_shard = 0;
    double longest_problem = 0;
    double all = 0;
    for (const Group& group : plan.groups)
      longest_problem = std::max(longest_problem, estimated_seconds(group, sweep));
    for (int i = 0; i < count; ++i) {
      double seconds = 0;
      for (const Group& group : sharded(plan, {i, count}).groups) seconds += estimated_seconds(group, sweep);
      longest_shard = std::max(longest_shard, seconds);
      all += seconds;
    }
    // Random sizes lie in heaps, of which a shard may get a part; a plain hash exceeds this.
    EXPECT_LT(longest_shard, 1.5 * all / count + 3 * longest_problem)
        << count << " shards of " << plan.groups.size() << " problems, seed " << seed;
  }
}

TEST(Shards, MayBeMoreThanProblems) {
  const Plan plan = planted::plan(R"("sizes": [64, 128, 256], "entries": ["reduce/ladder/second"])");
  std::size_t cells = 0;
  int empty = 0;
  for (int i = 0; i < 64; ++i) {
    const Plan part = sharded(plan, {i, 64});
    cells += part.cells();
    if (part.groups.empty()) ++empty;
  }
  EXPECT_EQ(cells, plan.cells());
  EXPECT_GE(empty, 64 - static_cast<int>(plan.groups.size()));
}

TEST(Shards, AreReadFromTheCommandLine) {
  EXPECT_EQ(parse_shard("2/4"), (Shard{2, 4}));
  EXPECT_EQ(parse_shard("0/1"), (Shard{0, 1}));
  for (const char* const text :
       {"4/4", "0/0", "-1/4", "1", "1/", "/4", "a/4", "1/4x", "1/4/2", "", "0.5/2", "1/100000"}) {
    EXPECT_NE(message_of([&] { parse_shard(text); }).find("must be i/n"), std::string::npos) << text;
  }
}

using Variables = std::map<std::string, std::string>;
Shard chosen(const std::optional<std::string>& argument, const Variables& variables) {
  return choose_shard(argument, [&](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  });
}

Variables slurm(int id, int count, int first, int last) {
  return {{"SLURM_ARRAY_TASK_ID", std::to_string(id)},
          {"SLURM_ARRAY_TASK_COUNT", std::to_string(count)},
          {"SLURM_ARRAY_TASK_MIN", std::to_string(first)},
          {"SLURM_ARRAY_TASK_MAX", std::to_string(last)}};
}

TEST(Shards, AreReadFromSlurm) {
  EXPECT_EQ(chosen(std::nullopt, {}), (Shard{0, 1}));
  EXPECT_EQ(chosen("1/3", {}), (Shard{1, 3}));
  EXPECT_EQ(chosen(std::nullopt, slurm(2, 4, 0, 3)), (Shard{2, 4}));
  EXPECT_EQ(chosen(std::nullopt, slurm(4, 4, 1, 4)), (Shard{3, 4}));
  EXPECT_EQ(chosen(std::nullopt, {{"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "4"}}),
            (Shard{2, 4}));
  EXPECT_EQ(chosen("2/4", slurm(2, 4, 0, 3)), (Shard{2, 4}));
  EXPECT_EQ(chosen("2/4", slurm(3, 4, 1, 4)), (Shard{2, 4}));
  // sbatch --array=3,7 repeats two of eight.
  EXPECT_EQ(chosen("7/8", slurm(7, 2, 3, 7)), (Shard{7, 8}));
}

TEST(Shards, ContradictionsAreRefused) {
  const auto refusal = [](const std::optional<std::string>& argument, const Variables& variables) {
    return message_of([&] { chosen(argument, variables); });
  };
  EXPECT_NE(refusal("1/4", slurm(2, 4, 0, 3)).find("contradicts"), std::string::npos);
  EXPECT_NE(refusal("2/3", slurm(2, 4, 0, 3)).find("contradicts"), std::string::npos);
  // Task 7 of --array=3,7 is not the fifth of anything.
  EXPECT_NE(refusal("4/8", slurm(7, 2, 3, 7)).find("contradicts"), std::string::npos);
  EXPECT_NE(refusal("8/8", slurm(8, 2, 3, 8)).find("must be i/n"), std::string::npos);
  EXPECT_NE(refusal(std::nullopt, slurm(7, 2, 3, 7)).find("not whole"), std::string::npos);
  EXPECT_NE(refusal(std::nullopt, slurm(3, 1, 3, 3)).find("not whole"), std::string::npos);
  EXPECT_NE(refusal(std::nullopt, {{"SLURM_ARRAY_TASK_ID", "x"}}).find("whole number"), std::string::npos);
}

}  // namespace
}  // namespace tally
