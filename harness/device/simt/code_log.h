/// \file
/// Groups lanes' ways through blocks of code into the warp's, and counts active lanes and divergent branches.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/simt/counters.h"
#include "harness/device/simt/warp_groups.h"

namespace tally::simt {

/// A warp in a block of code: who is there, and where they went next.
struct CodeGroup {
  std::uint32_t lanes = 0;
  std::uint32_t successor = 0;  ///< guard of the block that came next, 0 while none has
  bool divergent = false;       ///< lanes went on to different blocks
  bool carried = false;         ///< lanes stand in it still, who have it now

  void reset() { *this = {}; }
  void went_to(std::uint32_t guard) {
    if (successor == 0) {
      successor = guard;
    } else {
      divergent |= successor != guard;
    }
  }
};

/// A block of code, by the number of its guard.
struct CodeBlock {
  std::uint32_t guard = 0;
  // Of the launch at work: a block that went to more than one successor ends in a branch.
  std::uint32_t first_successor = 0;
  bool is_branch = false;
  std::uint64_t left = 0, divergent = 0;
  // Of the session.
  std::uint64_t branches = 0, divergent_branches = 0;
  WarpGroups<CodeGroup> open;
};

/// Where lanes that go one way are: the group of a block.
struct CodePosition {
  CodeBlock* block = nullptr;
  std::uint32_t group = 0;
};

/// Lanes that stand in one group. When the group is counted while they do, they take it along.
struct CodeStanding {
  std::uint32_t lanes = 0;
  CodePosition at;
  CodeGroup carried;  ///< the group, if it says that it is carried
};

/// Where a warp's lanes stand, each in one place at most. It outlives the warp's turns.
using WarpCode = std::vector<CodeStanding>;

class CodeLog {
 public:
  /// Lanes of `warp` that go one way enter the block of code `guard`. `at` is where they stood together, and
  /// then where they stand; empty before their first block of this way. Where there are several lanes, no
  /// other way may be known of any of them before all groups are flushed.
  void enter(WarpCode& warp, std::uint32_t lanes, CodePosition& at, std::uint32_t guard) {
    if (guard >= blocks_.size() || blocks_[guard] == nullptr) add_block(guard);
    CodeBlock& block = *blocks_[guard];
    if (block.open.empty()) touched_.push_back(&block);
    if (at.block != nullptr) {
      at.block->open[at.group].went_to(guard);
    } else {
      for (CodeStanding& standing : warp) {
        if ((standing.lanes & lanes) == 0) continue;
        CodeGroup& left =
            standing.carried.carried ? standing.carried : standing.at.block->open[standing.at.group];
        left.went_to(guard);
      }
    }
    const std::uint32_t index = block.open.next(static_cast<unsigned>(std::countr_zero(lanes)));
    block.open[index].lanes |= lanes;
    at = {&block, index};
  }
  /// The way of `lanes` ends, for now, at `at`.
  void stay(WarpCode& warp, std::uint32_t lanes, const CodePosition& at);
  bool nothing_open() const { return touched_.empty(); }

  /// Counts the groups that no lane of `running` can still join. `warp` is the one at work, `live` its lanes
  /// that have not ended.
  void flush(WarpCode& warp, std::uint32_t running, std::uint32_t live, Counters& counters);

  /// The warp has ended.
  void end_warp(WarpCode& warp);

  /// Adds the branches of the launch to `counters`.
  void end_launch(Counters& counters);

  const std::vector<std::unique_ptr<CodeBlock>>& blocks() const { return blocks_; }
  void clear_costs();
  /// Forgets the groups that are not flushed, as those of a launch that failed.
  void forget_open();

 private:
  void add_block(std::uint32_t guard);
  void leave(CodeBlock& block, const CodeGroup& group);
  void take_away(WarpCode& warp, std::uint32_t lanes);

  std::vector<std::unique_ptr<CodeBlock>> blocks_;
  std::vector<CodeBlock*> touched_;
  std::vector<CodeBlock*> of_launch_;
};

/// An address whose line is that of the branch at the end of the block of code `guard`; nullptr where the
/// program does not say where its blocks end.
const void* branch_place(std::uint32_t guard);

}  // namespace tally::simt
