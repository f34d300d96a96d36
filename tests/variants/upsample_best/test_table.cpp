/// What best.cuh decides on the host: how images are cut into pieces, which kernel gets them, and division
/// without dividing. The kernels themselves are checked by EveryVariant, and on a GPU by measure_upsample.cu
/// in this folder.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "variants/upsample_nearest2x/best/plan.h"

namespace tally_upsample {
namespace {

constexpr std::uint32_t largest_dividend = (std::uint32_t{1} << 31) - 1;

TEST(UpsampleDivision, IsExactRoundEveryMultiple) {
  std::vector<std::uint32_t> divisors;
  for (std::uint32_t d = 1; d <= 2000; ++d) divisors.push_back(d);
  for (int bits = 11; bits <= 31; ++bits) {
    for (const int near : {-1, 0, 1}) {
      const auto divisor = static_cast<std::uint32_t>((std::int64_t{1} << bits) + near);
      if (divisor <= std::uint32_t{1} << 31) divisors.push_back(divisor);
    }
  }
  const auto seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 2000; ++i) divisors.push_back(1 + (random() >> (1 + random() % 30)));
  for (const std::uint32_t divisor : divisors) {
    const Division by = Division::by(divisor);
    const auto expect_exact = [&](std::int64_t x) {
      if (x < 0 || x > largest_dividend) return;
      ASSERT_EQ(by.quotient(static_cast<std::uint32_t>(x)), x / divisor) << x << " / " << divisor;
    };
    const std::int64_t multiples = largest_dividend / divisor;
    for (const std::int64_t multiple : {std::int64_t{0}, std::int64_t{1}, multiples / 2, multiples}) {
      for (const int near : {-1, 0, 1}) expect_exact(multiple * divisor + near);
    }
    expect_exact(largest_dividend);
    for (int i = 0; i < 20; ++i) expect_exact(random() >> 1);
  }
}

const void* at(std::uintptr_t address) { return reinterpret_cast<const void*>(address); }

TEST(UpsamplePieces, AreAsWideAsRowsAndPointersAllow) {
  for (const int element : {2, 4, 8}) {
    for (const int most : {4, 8, 16}) {
      for (std::int64_t width = 1; width <= 40; ++width) {
        for (std::uintptr_t small = 4096; small < 4096 + 32; small += static_cast<unsigned>(element)) {
          for (std::uintptr_t large = 8192; large < 8192 + 32; large += static_cast<unsigned>(element)) {
            const Images images{3, width, element};
            const PieceShape shape = piece_shape(images, at(small), at(large), most);
            SCOPED_TRACE(testing::Message() << element << " bytes an element, at most " << most << ", width "
                                            << width << ", at " << small << " and " << large);
            const auto fits = [&](int bytes) {
              return images.bytes_of_small_row() % bytes == 0 && small % static_cast<unsigned>(bytes) == 0 &&
                     large % static_cast<unsigned>(bytes < 16 ? 2 * bytes : 16) == 0;
            };
            ASSERT_EQ(shape.in_one, fits(shape.bytes));
            ASSERT_TRUE(shape.in_one || shape.bytes == element);
            ASSERT_TRUE(shape.bytes == element || shape.bytes <= most);
            for (int wider = 2 * shape.bytes; wider <= most; wider *= 2) ASSERT_FALSE(fits(wider));
          }
        }
      }
    }
  }
}

/// The parts of images follow one another without a gap, and end with the last element.
TEST(UpsampleParts, CoverEveryPieceOnce) {
  for (const Images images : {Images{1, 1, 4}, Images{5, 7, 2}, Images{3000, 1 << 20, 4},
                              Images{1, most_pieces + 1, 4}, Images{3, 2 * most_pieces + 5, 2},
                              Images{(std::int64_t{1} << 40) + 1, 1, 2}, Images{2, most_pieces, 8}}) {
    SCOPED_TRACE(testing::Message() << images.rows << " x " << images.width);
    std::int64_t covered = 0;
    for (Place place; place.row < images.rows;) {
      const Part part = part_at(images, place, images.element_bytes);
      ASSERT_EQ(part.small, covered);
      ASSERT_EQ(part.large, covered / images.width * 4 * images.width + covered % images.width * 2);
      ASSERT_GT(part.pieces, 0u);
      ASSERT_LE(part.pieces, most_pieces);
      ASSERT_EQ(part.pieces % part.pieces_of_row, 0u);
      covered += part.pieces;
      ASSERT_EQ(part.behind.row * images.width + part.behind.column, covered);
      place = part.behind;
    }
    ASSERT_EQ(covered, images.rows * images.width);
  }
}

TEST(UpsampleParts, AreWholeRowsOfWidePiecesWhereTheyFit) {
  const Part part = part_at({100, 64, 4}, {10, 0}, 8);
  EXPECT_EQ(part.small, 640);
  EXPECT_EQ(part.large, 2560);
  EXPECT_EQ(part.pieces, 90u * 32);
  EXPECT_EQ(part.pieces_of_row, 32u);
  EXPECT_EQ(part.behind.row, 100);
}

template <int rows>
void expect_rises_and_ends_with_any_size(const Row (&table)[rows]) {
  std::int64_t before = 0;
  for (const auto& [most_bytes, kernel] : table) {
    EXPECT_GT(most_bytes, before);
    EXPECT_EQ(kernel_for(table, most_bytes), kernel);
    EXPECT_EQ(kernel_for(table, before + 1), kernel);
    EXPECT_EQ(kernel.threads % 32, 0);
    EXPECT_LE(kernel.threads, 1024);
    before = most_bytes;
  }
  EXPECT_EQ(before, any_size);
}

TEST(UpsampleTables, RiseAndEndWithAnySize) {
  expect_rises_and_ends_with_any_size(forward_table);
  expect_rises_and_ends_with_any_size(backward_table);
}

TEST(UpsamplePlan, HasABlockForEachTile) {
  const Kernel kernel{256, 4};
  EXPECT_EQ(blocks_of(kernel, 1), 1u);
  EXPECT_EQ(blocks_of(kernel, 1024), 1u);
  EXPECT_EQ(blocks_of(kernel, 1025), 2u);
  EXPECT_EQ(blocks_of({128, 1}, most_pieces), 1u << 23);
}

}  // namespace
}  // namespace tally_upsample
