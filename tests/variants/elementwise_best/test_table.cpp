/// What best.cuh decides on the host: where the words of arrays lie, and which kernel gets them. The kernels
/// themselves are checked by EveryVariant, and on a GPU by measure_elementwise.cu in this folder.
#include <gtest/gtest.h>

#include <vector>

#include "variants/elementwise/best/plan.h"
#include "variants/elementwise/best/spans.h"

namespace tally_elementwise {
namespace {

template <typename T>
class WordsOf : public testing::Test {};
struct alignas(16) SixteenBytes {
  std::int64_t of[2];
};
using ElementTypes = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, SixteenBytes>;
TYPED_TEST_SUITE(WordsOf, ElementTypes);

/// Every element is in exactly one of head, words and tail, and the words are aligned in every array.
TYPED_TEST(WordsOf, CoverEveryElementOnce) {
  using T = TypeParam;
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  const auto array = [](int which, int offset) {
    return reinterpret_cast<T*>(std::uintptr_t{4096} * static_cast<unsigned>(which)) + offset;
  };
  for (int offset = 0; offset < 2 * width; ++offset) {
    for (int n = 0; n <= 100; ++n) {
      SCOPED_TRACE(testing::Message() << "offset " << offset << " n " << n);
      const Inputs<T, 2> in{{array(1, offset), array(2, offset + width)}};
      const Spans spans = spans_of(in, array(3, offset), n);
      ASSERT_TRUE(spans.in_words);
      ASSERT_EQ(spans.head + spans.words * width + spans.tail, n);
      ASSERT_GE(spans.words, 0);
      ASSERT_TRUE(spans.head >= 0 && spans.head < width);
      ASSERT_TRUE(spans.tail >= 0 && spans.tail < width);
      if (spans.words > 0) {
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(in.of[0] + spans.head) % bytes_of_word, 0u);
        ASSERT_EQ(reinterpret_cast<std::uintptr_t>(in.of[1] + spans.head) % bytes_of_word, 0u);
      }
    }
  }
}

TYPED_TEST(WordsOf, AreNoneWhereTheArraysDifferModuloAWord) {
  using T = TypeParam;
  const auto* aligned = reinterpret_cast<const T*>(std::uintptr_t{4096});
  constexpr int width = bytes_of_word / static_cast<int>(sizeof(T));
  for (int offset = 0; offset < 2 * width; ++offset) {
    const bool same = offset % width == 0;
    EXPECT_EQ(spans_of(Inputs<T, 1>{{aligned + offset}}, aligned, 50).in_words, same);
    EXPECT_EQ(spans_of(Inputs<T, 1>{{aligned}}, aligned + offset, 50).in_words, same);
    EXPECT_EQ(spans_of(Inputs<T, 3>{{aligned, aligned, aligned + offset}}, aligned, 50).in_words, same);
  }
}

TEST(ElementwisePlan, HasABlockForEachTileAndOneForTheEnds) {
  for (const Row& row : table) {
    const std::int64_t of_tile = row.kernel.tile_bytes() / bytes_of_word;
    for (const std::int64_t words :
         {std::int64_t{0}, std::int64_t{1}, of_tile - 1, of_tile, of_tile + 1, most_of_one_launch}) {
      const auto blocks = static_cast<std::int64_t>(blocks_of(row.kernel, words, false));
      EXPECT_GE(blocks * of_tile, words);
      EXPECT_LT((blocks - 1) * of_tile, words) << "a block without a tile";
      EXPECT_EQ(blocks_of(row.kernel, words, true), blocks + 1);
      EXPECT_LT((blocks + 1) * of_tile, std::int64_t{1} << 32) << "32 bits count a launch's words";
    }
  }
}

TEST(ElementwiseTable, RisesAndEndsWithAnySize) {
  std::int64_t before = 0;
  for (const Row& row : table) {
    EXPECT_GT(row.most_bytes, before);
    EXPECT_EQ(kernel_for(row.most_bytes), row.kernel);
    EXPECT_EQ(kernel_for(before + 1), row.kernel);
    before = row.most_bytes;
  }
  EXPECT_EQ(before, any_size);
}

TEST(ElementwiseTable, NamesOnlyKernelsThatAHopperCanRun) {
  for (const auto& [most_bytes, kernel] : table) {
    EXPECT_EQ(kernel.threads % 32, 0);
    EXPECT_LE(kernel.threads, 1024);
    EXPECT_GE(kernel.threads, 2 * (bytes_of_word - 1)) << "a thread for each element of the ends";
    EXPECT_LE(kernel.shared_bytes(6), 227 * 1024) << "of six inputs";
  }
}

}  // namespace
}  // namespace tally_elementwise
