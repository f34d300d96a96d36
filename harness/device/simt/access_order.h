/// \file
/// Which of two accesses comes before the other whatever the hardware does, while blocks run one after the
/// other on one core.
///
/// Time is a count of the events that order threads. Within a block a barrier orders all before it with all
/// after it, a warp function the lanes that take part. Between blocks a thread publishes what its block had
/// done at its last fence, by an atomic or by its first store after that fence; a block that then reads or
/// changes what was so written comes after it. Rules are made so that correct programs are never accused;
/// some wrong ones therefore pass.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tally::simt {

/// An access as a shadow cell remembers it.
struct AccessNote {
  enum Flags : std::uint8_t { atomic = 1, published = 2 };

  std::uint32_t time = 0;  ///< 0: there was none
  std::uint32_t block = 0, site = 0;
  std::uint16_t thread = 0;
  std::uint8_t bytes = 0;  ///< mask of the bytes of its word
  std::uint8_t flags = 0;
};

class AccessOrder {
 public:
  void begin_launch();
  void begin_block(std::uint32_t block, unsigned warps);
  void barrier() { barrier_ = ++now_; }
  void meeting(unsigned warp, std::uint32_t arrived, std::uint32_t live);
  void fence(unsigned thread);
  /// The block at work has seen what was published at `time`; 0 is nothing.
  void acquire(std::uint32_t time) { acquired_ = std::max(acquired_, time); }
  /// The block at work changes a word by an atomic, or publishes by a store. Gives the time of that.
  std::uint32_t publish();
  /// Whether the thread's next store publishes; takes that away.
  bool take_fresh_fence(unsigned thread) {
    const bool fresh = fresh_fence_[thread];
    fresh_fence_[thread] = false;
    fresh_fences_ -= fresh ? 1 : 0;
    return fresh;
  }
  /// Whether any thread's next store publishes.
  bool has_fresh_fence() const { return fresh_fences_ > 0; }

  /// What comes now is later than what was, though nothing orders it.
  void next_moment() { ++now_; }

  std::uint32_t now() const { return now_; }
  std::uint32_t block() const { return block_; }

  /// Whether a note of the block at work comes before what `thread` of it does now, as far as barriers and
  /// meetings of whole warps tell.
  bool plainly_ordered(const AccessNote& note, unsigned thread) const {
    return note.block == block_ && (note.thread == thread || note.time < barrier_ ||
                                    (note.thread / 32 == thread / 32 && note.time < warps_[thread / 32].all));
  }
  /// Whether `note` comes before what `thread` of the block at work does now.
  bool ordered(const AccessNote& note, unsigned thread) const {
    if (note.block != block_) return ordered_between_blocks(note);
    if (note.thread == thread || note.time < barrier_) return true;
    if (note.thread / 32 != thread / 32) return false;
    const WarpOrder& warp = warps_[thread / 32];
    return note.time < warp.all ||
           (warp.pairs != nullptr && note.time < (*warp.pairs)[thread % 32][note.thread % 32]);
  }

 private:
  using Pairs = std::array<std::array<std::uint32_t, 32>, 32>;
  struct WarpOrder {
    std::uint32_t all = 0;         ///< when all lanes last met
    std::unique_ptr<Pairs> pairs;  ///< [later][earlier]: until when, after meetings of some lanes
  };
  struct Publication {
    std::uint32_t covers, at;
  };
  bool ordered_between_blocks(const AccessNote& note) const;

  std::uint32_t now_ = 1, block_ = 0, barrier_ = 0, fence_ = 0, acquired_ = 0;
  std::vector<WarpOrder> warps_;
  std::vector<bool> fresh_fence_;
  unsigned fresh_fences_ = 0;                                                 // of those
  std::unordered_map<std::uint32_t, std::vector<Publication>> publications_;  // by block
};

}  // namespace tally::simt
