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

void CodeLog::stay(WarpCode& warp, std::uint32_t lanes, const CodePosition& at) {
  if (at.block == nullptr) return;
  take_away(warp, lanes);
  for (CodeStanding& standing : warp) {
    if (standing.carried.carried || standing.at.block != at.block || standing.at.group != at.group) continue;
    standing.lanes |= lanes;
    return;
  }
  warp.push_back({lanes, at, {}});
}

/// Those lanes stand there no longer. Carried groups that no lane is in are done with.
void CodeLog::take_away(WarpCode& warp, std::uint32_t lanes) {
  std::size_t kept = 0;
  for (CodeStanding& standing : warp) {
    standing.lanes &= ~lanes;
    if (standing.lanes != 0) {
      warp[kept++] = standing;
    } else if (standing.carried.carried) {
      leave(*standing.at.block, standing.carried);
    }
  }
  warp.resize(kept);
}

void CodeLog::flush(WarpCode& warp, std::uint32_t running, std::uint32_t live, Counters& counters) {
  take_away(warp, ~live);
  const auto finished = [&](CodeBlock& block) {
    return block.open.size() > most_open_groups ? block.open.size() : block.open.finished(running);
  };
  for (CodeStanding& standing : warp) {
    if (standing.carried.carried) continue;
    const std::uint32_t done = finished(*standing.at.block);
    if (standing.at.group >= done) {
      standing.at.group -= done;
      continue;
    }
    CodeGroup& group = standing.at.block->open[standing.at.group];
    group.carried = true;
    standing.carried = group;
  }
  std::size_t kept = 0;
  for (CodeBlock* block : touched_) {
    const std::uint32_t done = finished(*block);
    for (std::uint32_t i = 0; i < done; ++i) {
      const CodeGroup& group = block->open[i];
      ++counters.code_blocks;
      counters.code_block_lanes += static_cast<unsigned>(std::popcount(group.lanes));
      if (!group.carried) leave(*block, group);
    }
    block->open.drop(done);
    if (!block->open.empty()) touched_[kept++] = block;
  }
  touched_.resize(kept);
}

void CodeLog::end_warp(WarpCode& warp) { take_away(warp, ~0u); }

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
