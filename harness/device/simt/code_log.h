/// \file
/// Groups lanes' ways through blocks of code into the warp's, and counts active lanes and divergent branches.
#pragma once

#include <array>
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
  std::uint8_t carried = 0;     ///< 1 + its number among the carried ones

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
  const void* place = nullptr;
  // Of the launch at work: a block that went to more than one successor ends in a branch.
  std::uint32_t first_successor = 0;
  bool is_branch = false;
  std::uint64_t left = 0, divergent = 0;
  // Of the session.
  std::uint64_t branches = 0, divergent_branches = 0;
  WarpGroups<CodeGroup> open;
};

/// A lane's block and group. Groups of a finished epoch that lanes still stand in are carried over, a few a
/// warp.
struct CodePosition {
  CodeBlock* block = nullptr;
  std::uint32_t group = 0;
  bool carried = false;
};

/// A warp's part of the log, which outlives its turns.
struct WarpCode {
  struct Carried {
    CodeBlock* block;
    CodeGroup group;
  };
  std::array<CodePosition, 32> positions{};
  std::vector<Carried> carried;
};

class CodeLog {
 public:
  void enter(WarpCode& warp, unsigned lane, std::uint32_t guard, const void* place) {
    if (guard >= blocks_.size() || blocks_[guard] == nullptr) add_block(guard, place);
    CodeBlock& block = *blocks_[guard];
    if (block.open.empty()) touched_.push_back(&block);
    CodePosition& position = warp.positions[lane];
    if (position.block != nullptr) {
      CodeGroup& left =
          position.carried ? warp.carried[position.group].group : position.block->open[position.group];
      left.went_to(guard);
    }
    const std::uint32_t index = block.open.next(lane);
    block.open[index].lanes |= 1u << lane;
    position = {&block, index, false};
  }

  /// Counts the groups that no lane of `running` can still join. `warp` is the one at work, `live` its lanes
  /// that have not ended.
  void flush(WarpCode& warp, std::uint32_t running, std::uint32_t live, Counters& counters);

  /// The warp has ended.
  void end_warp(WarpCode& warp);

  /// Adds the branches of the launch to `counters`.
  void end_launch(Counters& counters);

  const std::vector<std::unique_ptr<CodeBlock>>& blocks() const { return blocks_; }
  void clear_costs();

 private:
  void add_block(std::uint32_t guard, const void* place);
  void leave(CodeBlock& block, const CodeGroup& group);
  void drop_unused(WarpCode& warp);

  std::vector<std::unique_ptr<CodeBlock>> blocks_;
  std::vector<CodeBlock*> touched_;
  std::vector<CodeBlock*> of_launch_;
};

/// An address whose line is that of the branch at the end of the block of code `guard`; `place`, inside the
/// block, where the program does not say where its blocks end.
const void* branch_place(std::uint32_t guard, const void* place);

}  // namespace tally::simt
