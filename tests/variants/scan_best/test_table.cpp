/// What variants/scan/best.cuh decides on the host: which kernel gets an array, and which slots its tiles
/// read and write. The kernels themselves are checked on a GPU by check_scan.cu in this folder.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "variants/scan/best/plan.h"
#include "variants/scan/best/window.h"

namespace tally_scan {
namespace {

/// Bytes of an element.
class ScanTable : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(EachWidth, ScanTable, testing::Values(4, 8));

TEST_P(ScanTable, RisesAndEndsWithAnySize) {
  std::int64_t before = 0;
  for (const Row& row : table_for(GetParam())) {
    EXPECT_GT(row.most_bytes, before);
    before = row.most_bytes;
  }
  EXPECT_EQ(before, any_size);
}

TEST_P(ScanTable, NamesOnlyKernelsThatAHopperCanRun) {
  constexpr std::int64_t most_blocks = (std::int64_t{1} << 31) - 1;
  const std::int64_t most_bytes = static_cast<std::int64_t>(GetParam()) << 40;
  for (const Row& row : table_for(GetParam())) {
    const Kernel& kernel = row.kernel;
    EXPECT_EQ(kernel.threads % 32, 0);
    EXPECT_LE(kernel.threads, 1024);
    EXPECT_LE(kernel.shared_bytes(), 226 * 1024);
    EXPECT_LE(tiles_for(kernel, row.most_bytes == any_size ? most_bytes : row.most_bytes), most_blocks);
  }
}

TEST_P(ScanTable, AsksTheRowThatHoldsTheBytes) {
  std::int64_t before = 0;
  for (const Row& row : table_for(GetParam())) {
    EXPECT_EQ(kernel_for(GetParam(), before + 1), row.kernel);
    EXPECT_EQ(kernel_for(GetParam(), row.most_bytes), row.kernel);
    before = row.most_bytes;
  }
}

TEST(ScanTiles, CutTheArrayIntoTilesThatHoldIt) {
  constexpr Kernel kernel{Way::bulk, 128, 11, 8};
  EXPECT_EQ(tiles_for(kernel, 1), 1);
  EXPECT_EQ(tiles_for(kernel, kernel.tile_bytes()), 1);
  EXPECT_EQ(tiles_for(kernel, kernel.tile_bytes() + 1), 2);
}

/// A tile of the number `tile` of so many: what it reads is what comes before it, each tile once.
template <int Near>
void expect_all_before(std::int64_t tiles) {
  using detail::Window;
  std::map<std::int64_t, std::int64_t> told;  // group -> tiles that its prefix holds
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    SCOPED_TRACE(testing::Message() << "near " << Near << " tile " << tile);
    const Window<Near> window(tile);
    std::set<std::int64_t> sums;
    std::int64_t before = 0;
    for (int index = 0; index < Near * detail::lanes; ++index) {
      const std::int64_t sum = window.sum(index);
      const std::int64_t prefix = window.prefix(index);
      ASSERT_TRUE(sum < 0 || prefix < 0) << "one slot in two roles";
      if (sum >= 0) ASSERT_TRUE(sums.insert(sum).second);
      if (prefix >= 0) {
        ASSERT_TRUE(told.contains(prefix)) << "nobody of lower number tells it";
        before += told[prefix];
      }
    }
    // Up to `before` by the prefix, from there on sum by sum.
    for (const std::int64_t sum : sums) ASSERT_EQ(sum, before++);
    ASSERT_EQ(before, tile);
    if (window.tells_prefix() >= 0) {
      ASSERT_TRUE(told.emplace(window.tells_prefix(), tile + 1).second) << "two tell one prefix";
      ASSERT_LT(1 + tiles + window.tells_prefix(), detail::count_of_slots(tiles, Near))
          << "beyond the storage";
    }
  }
}

TEST(ScanWindow, HoldsWhatComesBeforeTheTile) {
  for (const std::int64_t tiles : {1, 31, 32, 33, 1000}) {
    expect_all_before<1>(tiles);
    expect_all_before<2>(tiles);
    expect_all_before<4>(tiles);
    expect_all_before<8>(tiles);
  }
}

}  // namespace
}  // namespace tally_scan
