/// What best.cuh decides on the host: where an array's words lie, and which kernel gets them. The kernels
/// themselves are checked on a GPU by check_reduce.cu in this folder.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "variants/reduce/best/host_answer.h"
#include "variants/reduce/best/plan.h"
#include "variants/reduce/best/spans.h"

namespace tally_reduce {
namespace {

constexpr int h200 = 132;

template <typename T>
class SpansOf : public testing::Test {};
using ElementTypes = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(SpansOf, ElementTypes);

/// Every element is in exactly one of head, words and tail, and the words begin at the boundary.
TYPED_TEST(SpansOf, CoversEveryElementOnce) {
  using T = TypeParam;
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  alignas(256) static const T memory[500] = {};
  for (const int boundary : {16, 128}) {
    for (int offset = 0; offset < 2 * boundary / static_cast<int>(sizeof(T)); ++offset) {
      for (int n = 0; n <= 200; ++n) {
        const T* x = memory + offset;
        const Spans spans = spans_of(x, n, boundary);
        SCOPED_TRACE(testing::Message() << "boundary " << boundary << " offset " << offset << " n " << n);
        ASSERT_EQ(spans.head + spans.words * width + spans.tail, n);
        ASSERT_EQ(static_cast<const T*>(spans.body), x + spans.head);
        ASSERT_GE(spans.head, 0);
        ASSERT_GE(spans.words, 0);
        ASSERT_GE(spans.tail, 0);
        ASSERT_LT(spans.head * static_cast<int>(sizeof(T)), boundary);
        ASSERT_LT(spans.tail, width);
        if (spans.words > 0) {
          ASSERT_EQ(reinterpret_cast<std::uintptr_t>(spans.body) % static_cast<unsigned>(boundary), 0u);
        }
      }
    }
  }
}

TYPED_TEST(SpansOf, LeavesNoHeadBeforeAnAlignedArray) {
  using T = TypeParam;
  const auto* x = reinterpret_cast<const T*>(std::uintptr_t{4096});
  constexpr std::int64_t width = bytes_of_word / static_cast<std::int64_t>(sizeof(T));
  const Spans spans = spans_of(x, (std::int64_t{1} << 40) + 1);
  EXPECT_EQ(spans.head, 0);
  EXPECT_EQ(spans.words, (std::int64_t{1} << 40) / width);
  EXPECT_EQ(spans.tail, width == 1 ? 0 : 1);
}

std::vector<std::int64_t> interesting_words() {
  std::vector<std::int64_t> words{0, 1, 2};
  for (std::int64_t w = 4; w <= std::int64_t{1} << 39; w *= 2) {
    for (const std::int64_t near : {w - 1, w, w + 1}) words.push_back(near);
  }
  for (const Row& row : table) {
    if (row.most_bytes == any_size) continue;
    for (const std::int64_t near : {-1, 0, 1}) words.push_back(row.most_bytes / 16 + near);
  }
  const auto seed = std::random_device()();
  testing::Test::RecordProperty("seed", static_cast<int>(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 1000; ++i) words.push_back(static_cast<std::int64_t>(random() >> (25 + random() % 35)));
  return words;
}

/// What the kernels count on: the tiles hold all words, no kernel gets more than it can take, and the slots
/// fit in what the storage query answers.
TEST(Plan, KeepsWhatEveryKernelNeeds) {
  for (const int multiprocessors : {1, 78, 114, h200, 200}) {
    for (const std::int64_t words : interesting_words()) {
      const Plan plan = plan_for(words, multiprocessors);
      SCOPED_TRACE(testing::Message() << words << " words on " << multiprocessors << " multiprocessors");
      const std::int64_t tile = plan.kernel.tile_bytes();
      ASSERT_GE(plan.blocks, 1);
      ASSERT_GE(plan.tiles * tile, words * 16);
      ASSERT_LT((plan.tiles - 1) * tile, words == 0 ? 1 : words * 16);
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

TEST(Table, RisesAndEndsWithAnySize) {
  std::int64_t before = 0;
  for (const Row& row : table) {
    EXPECT_GT(row.most_bytes, before);
    before = row.most_bytes;
  }
  EXPECT_EQ(before, any_size);
}

TEST(Table, NamesOnlyKernelsThatAHopperCanRun) {
  for (const Row& row : table) {
    const Kernel& kernel = row.kernel;
    EXPECT_EQ(kernel.threads % 32, 0);
    EXPECT_LE(kernel.threads, 512) << "reduce_block adds up at most 16 warps";
    EXPECT_LE(kernel.shared_bytes(), 227 * 1024);
    const bool stays = kernel.way == Way::blocks || kernel.way == Way::copies;
    EXPECT_EQ(row.of_each_multiprocessor > 0, stays);
    EXPECT_LE(kernel.boundary(), kernel.threads - 16 + 1) << "an element of the ends for each thread";
    if (kernel.way == Way::copies) {
      EXPECT_EQ(kernel.stage_bytes % (16 * kernel.threads), 0);
    }
    if (row.most_bytes != any_size) {
      EXPECT_LE(row.most_bytes / kernel.tile_bytes(), kernel.most_tiles());
    }
  }
}

/// A plan is worked out at compile time as well, so that this much of it cannot depend on a GPU.
static_assert(plan_for(0, h200).blocks == 1);
static_assert(plan_for(1, h200).kernel.way == Way::one_block);
static_assert(plan_for(std::int64_t{1} << 36, h200).slots() < most_slots(h200) + 1);

template <typename A>
class HostAnswerOf : public testing::Test {};
using AnswerTypes = testing::Types<float, double, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(HostAnswerOf, AnswerTypes);

/// Words arrive one by one, in any order; values whose words are 0 are answers too.
TYPED_TEST(HostAnswerOf, IsThereWhenAllItsWordsAre) {
  using A = TypeParam;
  using There = HostAnswer<A>;
  for (const A value : {A(0), A(-1), A(1), std::numeric_limits<A>::max(), std::numeric_limits<A>::lowest()}) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    for (int first = 0; first < There::count; ++first) {
      There there;
      std::memset(&there, 0xff, sizeof there);
      there.clear();
      A answer = A(77);
      for (int i = 0; i < There::count; ++i) {
        EXPECT_FALSE(there.take(answer));
        const int word = (first + i) % There::count;
        there.words[word] = There::written | (bits >> 32 * word & 0xffffffffu);
      }
      EXPECT_TRUE(there.take(answer));
      EXPECT_EQ(std::memcmp(&answer, &value, sizeof answer), 0);
    }
  }
}

}  // namespace
}  // namespace tally_reduce
