#pragma once

#include <algorithm>

#include "task.h"

/// How many blocks. Plain C++, so that it is tested without a GPU.
namespace tally_index_add {

struct Plan {
  Shares shares;
  std::int64_t blocks_of_plane;
  std::int64_t blocks;
};

/// warps_of_block: of the kernel. stays: blocks are as many as a GPU of that many multiprocessors runs at
/// once, since each pays for what it keeps.
constexpr Plan plan_of(std::int64_t n, std::int64_t width, std::int64_t planes, int element_bytes,
                       std::int64_t alignment, int multiprocessors, int warps_of_block, bool stays) {
  constexpr std::int64_t warps_that_hide_latency = 16;
  constexpr std::int64_t resident_blocks = 4;
  constexpr std::int64_t most_blocks = 1 << 20;  // beyond them blocks take another share
  Plan plan{};
  plan.shares =
      shares_of(n, width, planes, element_bytes, alignment, multiprocessors * warps_that_hide_latency);
  const std::int64_t wanted = (plan.shares.of_plane() + warps_of_block - 1) / warps_of_block;
  const std::int64_t most =
      stays ? std::max<std::int64_t>(multiprocessors * resident_blocks / planes, 1) : most_blocks;
  plan.blocks_of_plane = std::min(wanted, most);
  plan.blocks = plan.blocks_of_plane * std::min(planes, most_blocks);
  return plan;
}

}  // namespace tally_index_add
