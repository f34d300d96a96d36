/// \file
/// For every word of shared and global memory, who last wrote and read it: what the checks for races and for
/// reads of unwritten memory go by.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/device/simt/access_order.h"
#include "harness/device/simt/types.h"

namespace tally::simt {

/// Four bytes' history since `key` began: a block for shared memory, a launch for global memory.
struct alignas(64) ShadowCell {
  std::uint32_t key = 0;
  std::uint8_t written = 0;  ///< mask of bytes
  AccessNote write, reader, other_reader;

  void begin(std::uint32_t new_key) {
    key = new_key;
    written = 0;
    write.time = reader.time = other_reader.time = 0;
  }
  void add_reader(const AccessNote& note) {
    if (reader.time != 0 && (reader.thread != note.thread || reader.block != note.block))
      other_reader = reader;
    reader = note;
  }
};

/// Zeroed cells for a range of memory; pages become real when they are touched.
class ShadowMemory {
 public:
  ShadowMemory() = default;
  ~ShadowMemory() { reset(0); }
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;

  /// Forgets all, and makes room for `bytes` of memory. False when the system has none.
  bool reset(std::size_t bytes);
  bool ready() const { return cells_ != nullptr; }
  std::size_t covered_bytes() const { return bytes_; }
  ShadowCell* cell(std::size_t offset) { return cells_ + offset / 4; }
  void prefetch(std::size_t offset) const { __builtin_prefetch(cells_ + offset / 4, 1); }

 private:
  ShadowCell* cells_ = nullptr;
  std::size_t bytes_ = 0;
};

enum class AccessEffect { read, write, change };

/// What an access runs into, if anything.
struct Conflict {
  AccessNote with;  ///< the earlier access; its time is 0 when there is none
  bool earlier_wrote = false;
  bool found() const { return with.time != 0; }
};

/// Notes an access to the bytes `mask` of a word, and says which unordered earlier one it conflicts with.
/// `between_blocks`: the word is global, so that atomics and published stores of other blocks may be read by
/// plain loads.
TALLY_SIMT_INLINE Conflict note_access(ShadowCell& cell, AccessNote note, AccessEffect effect,
                                       AccessOrder& order, bool between_blocks) {
  Conflict conflict;
  const auto unordered = [&](const AccessNote& earlier) {
    return earlier.time != 0 && (earlier.bytes & note.bytes) != 0 &&
           (earlier.thread != note.thread || earlier.block != note.block) &&
           !order.ordered(earlier, note.thread);
  };
  const AccessNote& write = cell.write;
  const bool of_other_block = write.time != 0 && write.block != note.block;
  if (effect == AccessEffect::read) {
    if (between_blocks && of_other_block && write.flags != 0) {
      order.acquire(write.time);  // a flag is polled
    } else if (unordered(write)) {
      conflict = {write, true};
    }
  } else {
    const bool both_atomic = effect == AccessEffect::change && (write.flags & AccessNote::atomic) != 0;
    if (!both_atomic && unordered(write)) conflict = {write, true};
    // A flag in global memory may be polled by whoever likes; its change is not a race with those reads.
    const bool changes_flag =
        between_blocks && (effect == AccessEffect::change || (note.flags & AccessNote::published) != 0);
    if (!changes_flag && !conflict.found()) {
      if (unordered(cell.reader)) {
        conflict = {cell.reader, false};
      } else if (unordered(cell.other_reader)) {
        conflict = {cell.other_reader, false};
      }
    }
  }
  if (effect == AccessEffect::read) {
    cell.add_reader(note);
  } else {
    cell.write = note;
    cell.written |= note.bytes;
  }
  return conflict;
}

}  // namespace tally::simt
