/// \file
/// What the workers of one launch know of each other: which blocks are left, and whether any worker can still
/// move.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace tally::simt {

/// A worker moves or waits. It waits from when all its lanes have looked in vain for what others are to write
/// until one of them has done more than look. Its lanes see nothing but memory, which only movers change; so
/// when every worker has looked in vain since the last one moved, none ever will. How long that takes does
/// not matter: a worker that the system holds up has not looked.
class GridProgress {
 public:
  explicit GridProgress(int workers) : moving_(workers) {}

  std::atomic<std::uint64_t> next_block = 0;
  std::atomic<bool> stopped = false;  ///< one worker has failed: the others end

  /// Grows whenever a worker may have changed what others look for.
  std::uint64_t generation() const { return generation_.load(); }

  void begin_to_wait() {
    const std::lock_guard lock(mutex_);
    --moving_;
    ++waiting_;
    begin_generation();
  }
  void stop_waiting() {
    const std::lock_guard lock(mutex_);
    ++moving_;
    --waiting_;
    begin_generation();
  }
  /// A worker that moves has no more to do.
  void finish() {
    const std::lock_guard lock(mutex_);
    --moving_;
    begin_generation();
  }
  /// A waiting worker has looked again, in vain, since `generation` began; it says so once a generation.
  /// True when all have: then they wait for ever.
  bool looked_in_vain(std::uint64_t generation) {
    const std::lock_guard lock(mutex_);
    if (generation != generation_.load()) return false;
    ++in_vain_;
    return moving_ == 0 && in_vain_ == waiting_;
  }

 private:
  void begin_generation() {
    in_vain_ = 0;
    generation_.fetch_add(1);
  }

  std::mutex mutex_;
  std::atomic<std::uint64_t> generation_ = 0;
  int moving_, waiting_ = 0, in_vain_ = 0;
};

}  // namespace tally::simt
