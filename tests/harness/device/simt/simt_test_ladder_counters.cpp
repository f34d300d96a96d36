// Counters of whole kernels: the three stages of a published ladder, whose figures an H200 confirmed, and
// small kernels whose counts can be worked out by hand.
#include <gtest/gtest.h>

#include "harness/device/simt/counters.h"
#include "tests/harness/device/simt/kernels_under_test.h"
#include "tests/harness/device/simt/tree_kernels.h"

namespace {

using tally::simt::Counters;
using tally::simt::DeviceArray;
using tally::simt::launch;
using tally::simt::LineCounters;
using tally::simt::Session;

class LadderCounters : public testing::Test {
 protected:
  void SetUp() override {
    if (!tally::simt::counting_available()) GTEST_SKIP() << "kernels are not instrumented: no clang";
  }
};

struct LadderStage {
  Counters counters;
  std::vector<LineCounters> lines;
};

LadderStage run_stage(void (*kernel)(const float*, float*), unsigned n = 65536) {
  DeviceArray<float> x(std::vector<float>(n, 1.0f), "x"), out(n / 256, "out");
  Session session;
  launch("stage", kernel, n / 256, 256, 0, x.get(), out.get());
  for (const float sum : out.values()) EXPECT_EQ(sum, 256.0f);
  EXPECT_TRUE(session.findings().empty());
  return {session.total(), session.lines()};
}

TEST_F(LadderCounters, of_the_ladder_are_those_of_the_hardware) {
  const Counters neighbours = run_stage(tree_of_neighbours).counters,
                 first_threads = run_stage(tree_of_first_threads).counters,
                 from_the_top = run_stage(tree_from_the_top).counters;
  for (const Counters& stage : {neighbours, first_threads, from_the_top}) {
    EXPECT_EQ(stage.global_load_requests, 2048u);
    EXPECT_EQ(stage.global_load_sectors, 8192u);
    EXPECT_EQ(stage.global_load_bytes, 65536u * 4);
    EXPECT_EQ(stage.global_store_requests, 256u);
    EXPECT_EQ(stage.global_store_sectors, 256u);
    EXPECT_EQ(stage.global_store_bytes, 256u * 4);
    EXPECT_EQ(stage.barriers, 256u * 9);
    EXPECT_EQ(stage.launches, 1u);
    EXPECT_EQ(stage.blocks, 256u);
    EXPECT_EQ(stage.threads, 65536u);
    EXPECT_EQ(stage.static_shared_bytes, 1024u);
    EXPECT_EQ(stage.dynamic_shared_bytes, 0u);
  }
  EXPECT_EQ(neighbours.shared_load_conflicts + neighbours.shared_store_conflicts, 0u);
  EXPECT_EQ(first_threads.shared_load_conflicts + first_threads.shared_store_conflicts, 26880u);
  EXPECT_EQ(from_the_top.shared_load_conflicts + from_the_top.shared_store_conflicts, 0u);
}

TEST_F(LadderCounters, show_which_stage_diverges) {
  const Counters neighbours = run_stage(tree_of_neighbours).counters,
                 first_threads = run_stage(tree_of_first_threads).counters,
                 from_the_top = run_stage(tree_from_the_top).counters;
  // A block's tree: 8 levels, 8 warps. The tree of neighbours splits every warp on 5 levels, then only those
  // with lane 0 at work: of 8 warps 4, 2, 1. The others split one warp on each of the levels that leave fewer
  // than 32 threads at work. To these comes the branch of thread 0 at the end, once a block.
  EXPECT_EQ(neighbours.divergent_branches, 256u * (5 * 8 + 4 + 2 + 1 + 1));
  EXPECT_EQ(first_threads.divergent_branches, 256u * (5 + 1));
  EXPECT_EQ(from_the_top.divergent_branches, 256u * (5 + 1));
  // A warp comes to three branches: the loop's on 8 levels (taken 7 times), the tree's on 8, and the last
  // one.
  for (const Counters& stage : {neighbours, first_threads, from_the_top})
    EXPECT_EQ(stage.branches, 2048u * (8 + 8 + 1));
  const auto lanes = [](const Counters& c) { return c.by_name().at("average_active_lanes"); };
  EXPECT_LT(lanes(neighbours), lanes(first_threads));
  EXPECT_LE(lanes(first_threads), 32.0);
}

TEST_F(LadderCounters, name_the_line_of_conflicts_and_of_divergence) {
  const LadderStage first_threads = run_stage(tree_of_first_threads),
                    neighbours = run_stage(tree_of_neighbours);
  std::uint64_t conflicts = 0, divergent = 0;
  for (const LineCounters& line : first_threads.lines) {
    if (line.bank_conflicts == 0) continue;
    EXPECT_TRUE(line.file.ends_with("tree_kernels.h")) << line.file;
    EXPECT_EQ(line.line, first_threads_line);
    conflicts += line.bank_conflicts;
  }
  EXPECT_EQ(conflicts, 26880u);
  for (const LineCounters& line : neighbours.lines) {
    if (line.line == neighbours_line) divergent += line.divergent_branches;
  }
  EXPECT_EQ(divergent, 256u * (5 * 8 + 4 + 2 + 1));
}

TEST_F(LadderCounters, are_the_same_in_every_run) {
  const LadderStage first = run_stage(tree_of_first_threads, 4096),
                    again = run_stage(tree_of_first_threads, 4096);
  EXPECT_EQ(first.counters, again.counters);
  tally::simt::set_worker_count(3);
  EXPECT_EQ(run_stage(tree_of_first_threads, 4096).counters, first.counters);
  tally::simt::set_worker_count(0);
}

}  // namespace
