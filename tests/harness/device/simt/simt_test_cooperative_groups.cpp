// Cooperative groups of one block: ranks, tiles, shuffles within tiles, reductions.
#include <gtest/gtest.h>

#include "harness/device/simt/cooperative_groups.h"
#include "tests/harness/device/simt/kernels_under_test.h"

namespace {

namespace cg = cooperative_groups;
using tally::simt::DeviceArray;
using tally::simt::launch;

template <unsigned Size>
__global__ void tiles(int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<Size>(block);
  const int rank = static_cast<int>(block.thread_rank());
  int* mine = out + rank * 8;
  mine[0] = static_cast<int>(tile.thread_rank());
  mine[1] = static_cast<int>(tile.meta_group_rank());
  mine[2] = tile.shfl_down(rank, 1);
  mine[3] = cg::reduce(tile, rank, cg::plus<int>());
  mine[4] = cg::reduce(tile, rank, cg::less<int>());
  mine[5] = cg::reduce(tile, rank, cg::greater<int>());
  mine[6] = static_cast<int>(tile.ballot(rank % 2));
  mine[7] = tile.shfl(rank, 0);
  block.sync();
  cg::sync(tile);
}

template <unsigned Size>
void check_tiles() {
  constexpr int threads = 96, size = Size;
  DeviceArray<int> out(threads * 8);
  launch("tiles", tiles<Size>, 1, dim3(8, 4, 3), 0, out.get());
  for (int t = 0; t < threads; ++t) {
    const int first = t / size * size, last = first + size - 1;
    const int expected[] = {t % size,
                            t / size,
                            t == last ? t : t + 1,
                            (first + last) * size / 2,
                            first,
                            last,
                            static_cast<int>(0xaaaaaaaau & ((std::uint64_t{1} << size) - 1)),
                            first};
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ(out[t * 8 + k], expected[k]) << "result " << k << " of thread " << t;
  }
}

TEST(CooperativeGroups, tiles_of_every_size_work_apart) {
  check_tiles<32>();
  check_tiles<16>();
  check_tiles<8>();
  check_tiles<2>();
}

}  // namespace
