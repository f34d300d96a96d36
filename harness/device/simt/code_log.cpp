#include "harness/device/simt/code_log.h"

#include <bit>

namespace tally::simt {
namespace {

constexpr std::uint32_t most_open_groups = 8192;

}  // namespace

void CodeLog::add_block(std::uint32_t guard) {
  if (guard >= blocks_.size()) blocks_.resize(guard + 1);
  blocks_[guard] = std::make_unique<CodeBlock>();
  blocks_[guard]->guard = guard;
}

/// Every lane of the group has gone on, or has ended.
void CodeLog::leave(CodeBlock& block, const CodeGroup& group) {
  if (group.successor == 0) return;
  if (block.left == 0) {
    of_launch_.push_back(&block);
    block.first_successor = group.successor;
  }
  ++block.left;
  block.divergent += group.divergent ? 1 : 0;
  block.is_branch |= group.divergent || group.successor != block.first_successor;
}

void CodeLog::flush(WarpCode& warp, std::uint32_t running, std::uint32_t live, Counters& counters) {
  drop_unused(warp);
  const auto finished = [&](CodeBlock& block) {
    return block.open.size() > most_open_groups ? block.open.size() : block.open.finished(running);
  };
  // Lanes still inside a group that is about to be forgotten keep it among the carried.
  for (std::uint32_t rest = live; rest != 0; rest &= rest - 1) {
    CodePosition& position = warp.positions[static_cast<unsigned>(std::countr_zero(rest))];
    if (position.block == nullptr || position.carried) continue;
    const std::uint32_t done = finished(*position.block);
    if (position.group >= done) {
      position.group -= done;
      continue;
    }
    CodeGroup& group = position.block->open[position.group];
    if (group.carried == 0) {
      warp.carried.push_back({position.block, group});
      group.carried = static_cast<std::uint8_t>(warp.carried.size());
    }
    position.group = group.carried - 1u;
    position.carried = true;
  }
  std::size_t kept = 0;
  for (CodeBlock* block : touched_) {
    const std::uint32_t done = finished(*block);
    for (std::uint32_t i = 0; i < done; ++i) {
      const CodeGroup& group = block->open[i];
      ++counters.code_blocks;
      counters.code_block_lanes += static_cast<unsigned>(std::popcount(group.lanes));
      if (group.carried == 0) leave(*block, group);
    }
    block->open.drop(done);
    if (!block->open.empty()) touched_[kept++] = block;
  }
  touched_.resize(kept);
}

/// Carried groups that every lane has left are done with.
void CodeLog::drop_unused(WarpCode& warp) {
  if (warp.carried.empty()) return;
  std::array<std::uint8_t, 256> new_index{};
  for (const CodePosition& position : warp.positions) {
    if (position.carried) new_index[position.group] = 1;
  }
  std::vector<WarpCode::Carried> kept;
  for (std::size_t i = 0; i < warp.carried.size(); ++i) {
    if (new_index[i] == 0) {
      leave(*warp.carried[i].block, warp.carried[i].group);
    } else {
      new_index[i] = static_cast<std::uint8_t>(kept.size());
      kept.push_back(warp.carried[i]);
    }
  }
  for (CodePosition& position : warp.positions) {
    if (position.carried) position.group = new_index[position.group];
  }
  warp.carried = std::move(kept);
}

void CodeLog::end_warp(WarpCode& warp) {
  for (const WarpCode::Carried& carried : warp.carried) leave(*carried.block, carried.group);
  warp.carried.clear();
  warp.positions = {};
}

void CodeLog::end_launch(Counters& counters) {
  for (CodeBlock* block : of_launch_) {
    if (block->is_branch) {
      block->branches += block->left;
      block->divergent_branches += block->divergent;
      counters.branches += block->left;
      counters.divergent_branches += block->divergent;
    }
    block->first_successor = 0;
    block->is_branch = false;
    block->left = block->divergent = 0;
  }
  of_launch_.clear();
}

void CodeLog::forget_open() {
  for (CodeBlock* block : touched_) block->open.drop(block->open.size());
  touched_.clear();
}

void CodeLog::clear_costs() {
  for (const auto& block : blocks_) {
    if (block != nullptr) block->branches = block->divergent_branches = 0;
  }
}

}  // namespace tally::simt
