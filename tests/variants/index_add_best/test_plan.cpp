/// How variants/index_add/best.cuh shares a task out. The kernel itself is checked by every variant's tests,
/// and on a GPU by check_index_add.cu in this folder.
#include <gtest/gtest.h>

#include "variants/index_add/best/plan.h"

namespace tally_index_add {
namespace {

constexpr int h200 = 132;
constexpr std::int64_t aligned = 16;

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// What the kernel counts on, for every shape.
TEST(IndexAddPlan, GivesEveryElementToOneLane) {
  for (const int multiprocessors : {1, 78, h200}) {
    for (const std::int64_t n : {1, 7, 33, 4096, 65537, 1 << 20}) {
      for (const std::int64_t width : {1, 2, 3, 31, 32, 33, 63, 64, 128, 129, 256, 520, 4099}) {
        for (const std::int64_t planes : {1, 2, 64, 3000, 1 << 21}) {
          for (const int bytes : {2, 4, 8}) {
            SCOPED_TRACE(testing::Message()
                         << "n " << n << " width " << width << " planes " << planes << " bytes " << bytes);
            const Plan plan = plan_of(n, width, planes, bytes, aligned, multiprocessors);
            const Shares& shares = plan.shares;
            // Columns: whole vectors, and panels of 32 of them to the end of the row.
            ASSERT_EQ(width % shares.vector, 0);
            ASSERT_LE(shares.vector * bytes, 16);
            const std::int64_t vectors = width / shares.vector;
            ASSERT_GE(shares.parts * 32, vectors);
            ASSERT_LT((shares.parts - 1) * 32, vectors);
            ASSERT_EQ(shares.panels, shares.parts * planes);
            ASSERT_TRUE(is_power_of_two(shares.lanes_of_row));
            ASSERT_GE(shares.lanes_of_row, std::min<std::int64_t>(vectors, 32));
            ASSERT_LE(shares.lanes_of_row, 32);
            // Indices: stretches up to the last, and none that is empty.
            ASSERT_GE(shares.indices_of_block * shares.blocks_of_panel, n);
            ASSERT_LT(shares.indices_of_block * (shares.blocks_of_panel - 1), n);
            ASSERT_EQ(plan.blocks % shares.blocks_of_panel, 0);
            ASSERT_LE(plan.blocks, shares.blocks_of_panel * shares.panels);
            ASSERT_LE(plan.blocks, INT32_MAX);
            // Windows: a part for each of the rows at once.
            ASSERT_TRUE(is_power_of_two(shares.window));
            ASSERT_GE(shares.window, shares.rows_at_once());
            ASSERT_LE(shares.window, 32);
          }
        }
      }
    }
  }
}

TEST(IndexAddPlan, FillsTheGpuOnceWhereThereIsEnough) {
  // Stretches of whole rounds of a block: some blocks fewer than run at once.
  const std::int64_t blocks = plan_of(1 << 20, 64, 1, 4, aligned, h200).blocks;
  EXPECT_LE(blocks, 4 * h200);
  EXPECT_GT(blocks, 4 * h200 * 95 / 100);
  EXPECT_EQ(plan_of(1, 1, 1, 4, aligned, h200).blocks, 1);
}

/// What the measurements say about when sums of a block's own pay.
TEST(IndexAddPlan, CallsFewWhatIsWorthSumsOfItsOwn) {
  const auto few = [](std::int64_t n, std::int64_t width, std::int64_t planes) {
    return plan_of(n, width, planes, 4, aligned, h200).shares.few_of_32;
  };
  EXPECT_EQ(few(1023, 64, 1), 0) << "no row can be waited for as long as the sums take";
  EXPECT_EQ(few(1 << 12, 64, 1), 4);
  EXPECT_EQ(few(1 << 18, 1, 1), 22);
  EXPECT_EQ(few(std::int64_t{1} << 40, 64, 1), 22);
  EXPECT_EQ(few(1 << 18, 1, 64), 4) << "single elements of many planes";
  EXPECT_EQ(few(1 << 18, 64, 64), 22);
  EXPECT_EQ(few(1 << 18, 1, 1 << 21), 0);
}

TEST(IndexAddPlan, TakesTheWidestVectorThatBothArraysAllow) {
  EXPECT_EQ(plan_of(100, 64, 1, 4, 16, h200).shares.vector, 4);
  EXPECT_EQ(plan_of(100, 64, 1, 4, 8, h200).shares.vector, 2);
  EXPECT_EQ(plan_of(100, 63, 1, 4, 16, h200).shares.vector, 1);
  EXPECT_EQ(plan_of(100, 64, 1, 2, 16, h200).shares.vector, 8);
  alignas(16) const char memory[64] = {};
  EXPECT_EQ(alignment_of(memory, memory), 16);
  EXPECT_EQ(alignment_of(memory, memory + 4), 4);
  EXPECT_EQ(alignment_of(memory + 8, memory + 2), 2);
}

}  // namespace
}  // namespace tally_index_add
