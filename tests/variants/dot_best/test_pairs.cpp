/// What variants/dot/best.cuh decides on the host: where pairs of words lie, and which kernel gets them. The
/// kernels themselves are checked on a GPU by check_dot.cu in this folder.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "variants/dot/best/pairs.h"
#include "variants/dot/best/plan.h"

namespace tally_dot {
namespace {

constexpr int h200 = 132;

template <typename T>
class PairsOf : public testing::Test {};
using ElementTypes = testing::Types<std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(PairsOf, ElementTypes);

/// The element beside every one of x is the one of the same index, whatever the two alignments; the shift
/// says where the next multiple of 16 below it is.
TYPED_TEST(PairsOf, StandBesideOneAnother) {
  using T = TypeParam;
  constexpr auto offsets = static_cast<int>(16 / sizeof(T));
  alignas(256) static const T memory_x[400] = {};
  alignas(256) static const T memory_y[400] = {};
  for (const int boundary : {16, 128}) {
    for (int of_x = 0; of_x < offsets; ++of_x) {
      for (int of_y = 0; of_y < offsets; ++of_y) {
        for (const int n : {0, 1, 7, 64, 200}) {
          const T* x = memory_x + of_x;
          const T* y = memory_y + of_y;
          const Pairs pairs = pairs_of(x, y, n, boundary);
          SCOPED_TRACE(testing::Message() << "offsets " << of_x << ", " << of_y << " n " << n);
          ASSERT_EQ(static_cast<const T*>(pairs.x.body) - x, pairs.x.head);
          ASSERT_EQ(static_cast<const T*>(pairs.y) - y, pairs.x.head);
          ASSERT_GE(pairs.shift, 0);
          ASSERT_LT(pairs.shift, 16);
          ASSERT_EQ((reinterpret_cast<std::uintptr_t>(pairs.y) - static_cast<unsigned>(pairs.shift)) % 16,
                    0u);
          ASSERT_EQ(pairs.shift % static_cast<int>(sizeof(T)), 0);
          if (n == 200) {  // there are words: x's begin at a boundary
            ASSERT_EQ(pairs.shift == 0, of_x == of_y) << "arrays that lie alike, and no others";
          }
        }
      }
    }
  }
}

std::vector<std::int64_t> interesting_words(bool shifted) {
  std::vector<std::int64_t> words{0, 1, 2};
  for (std::int64_t w = 4; w <= std::int64_t{1} << 39; w *= 2) {
    for (const std::int64_t near : {w - 1, w, w + 1}) words.push_back(near);
  }
  for (const Row* row = rows(shifted); row->most_bytes != any_size; ++row) {
    for (const std::int64_t near : {-1, 0, 1}) words.push_back(row->most_bytes / 16 + near);
  }
  const auto seed = std::random_device()();
  testing::Test::RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1000; ++i) words.push_back(static_cast<std::int64_t>(random() >> (25 + random() % 35)));
  return words;
}

/// What the kernels count on: the tiles hold all words, no kernel gets more than it can take, and the slots
/// fit in what the storage query answers.
TEST(DotPlan, KeepsWhatEveryKernelNeeds) {
  for (const bool shifted : {false, true}) {
    for (const int multiprocessors : {1, 78, 114, h200, 200}) {
      for (const std::int64_t words : interesting_words(shifted)) {
        const Plan plan = plan_for(words, shifted, multiprocessors);
        SCOPED_TRACE(testing::Message() << words << " words on " << multiprocessors << " multiprocessors");
        const std::int64_t tile = plan.kernel.tile_bytes();
        ASSERT_GE(plan.blocks, 1);
        ASSERT_GE(plan.tiles * tile, words * 16);
        ASSERT_LE(plan.tiles, plan.kernel.most_tiles());
        ASSERT_LE(plan.slots(), most_slots(multiprocessors));
        ASSERT_LE(plan.blocks, plan.tiles > 1 ? plan.tiles : 1) << "a block without a tile";
        const bool stays = plan.kernel.way == Way::blocks || plan.kernel.way == Way::copies;
        if (!stays) {
          ASSERT_EQ(plan.blocks, plan.tiles > 1 ? plan.tiles : 1) << "a tile without a block";
        }
      }
    }
  }
}

TEST(DotTable, RisesAndNamesOnlyKernelsThatAHopperCanRun) {
  for (const bool shifted : {false, true}) {
    std::int64_t before = 0;
    for (int i = 0; i < (shifted ? rows_of_table_shifted : rows_of_table); ++i) {
      const Row& row = rows(shifted)[i];
      EXPECT_GT(row.most_bytes, before);
      before = row.most_bytes;
      const Kernel& kernel = row.kernel;
      EXPECT_NE(kernel.way, Way::cluster) << "dot has no such kernel";
      EXPECT_FALSE(shifted && kernel.way == Way::copies)
          << "the bulk copy engine copies multiples of 16 bytes";
      EXPECT_EQ(kernel.threads % 32, 0);
      EXPECT_LE(kernel.threads, 512) << "reduce_block adds up at most 16 warps";
      EXPECT_LE(2 * kernel.shared_bytes(), 227 * 1024);
      const bool stays = kernel.way == Way::blocks || kernel.way == Way::copies;
      EXPECT_EQ(row.of_each_multiprocessor > 0, stays);
      EXPECT_LE(kernel.boundary(), kernel.threads - 16 + 1) << "an element of the ends for each thread";
      if (row.most_bytes != any_size) {
        EXPECT_LE(row.most_bytes / kernel.tile_bytes(), kernel.most_tiles());
      }
    }
    EXPECT_EQ(before, any_size);
  }
}

}  // namespace
}  // namespace tally_dot
