/// \file
/// The recorder's view of one access, where every instruction counts: which memory it reaches, who was there
/// before.
#pragma once

#include <cstring>

#include "harness/device/simt/recorder.h"

namespace tally::simt {

template <unsigned bytes, bool between_blocks>
TALLY_SIMT_INLINE void Recorder::note_words(const Lane& lane, ShadowMemory& shadow, std::size_t offset,
                                            std::uint32_t key, std::uintptr_t address, const Site& site) {
  const AccessEffect effect = site.kind == AccessKind::load    ? AccessEffect::read
                              : site.kind == AccessKind::store ? AccessEffect::write
                                                               : AccessEffect::change;
  AccessNote note;
  note.block = block_;
  note.site = site.index;
  note.thread = lane.thread;
  note.time = order_.now();
  if (effect == AccessEffect::change) {
    note.flags = AccessNote::atomic;
    if (between_blocks) {
      const ShadowCell& cell = *shadow.cell(offset);
      if (cell.key == key && cell.write.flags != 0) order_.acquire(cell.write.time);
      note.time = order_.publish();
    }
  } else if (effect == AccessEffect::write && between_blocks && order_.take_fresh_fence(lane.thread)) {
    note.flags = AccessNote::published;
    note.time = order_.publish();
  }
  note.bytes = static_cast<std::uint8_t>((bytes >= 4 ? 0xfu : (1u << bytes) - 1) << (offset % 4));
  bool unwritten = false;
  for (unsigned done = 0; done < bytes; done += 4) {
    ShadowCell& cell = *shadow.cell(offset + done);
    if (cell.key != key) cell.begin(key);
    // What a block finds in its shared memory is left over from others.
    unwritten |= !between_blocks && effect != AccessEffect::write && (note.bytes & ~cell.written) != 0;
    const Conflict conflict = note_access(cell, note, effect, order_, between_blocks);
    if (conflict.found()) [[unlikely]]
      note_race(lane, conflict, address, bytes, site, between_blocks);
  }
  if (unwritten) [[unlikely]]
    note_access_fault(FindingKind::uninitialised_read, lane, address, bytes, site);
}

template <unsigned bytes>
TALLY_SIMT_INLINE bool Recorder::access(const Lane& lane, std::uintptr_t address, AccessKind kind,
                                        const void* place) {
  Site& site = requests_.site(place, kind, bytes);
  const DeviceArena& arena = device_arena();
  const auto out_of_bounds = [&] {
    note_access_fault(FindingKind::out_of_bounds, lane, address, bytes, site);
    return kind == AccessKind::load;  // what lies behind an array may be the executor's own
  };
  if (address % bytes != 0) [[unlikely]] {
    note_access_fault(FindingKind::misaligned_access, lane, address, bytes, site);
    return false;
  }
  if (arena.contains(address)) {
    requests_.add(site, lane.lane, address, false);
    struct States {
      std::uint8_t of[bytes];
    } states, all_written;
    std::memcpy(&states, arena.state(address), bytes);
    std::memset(&all_written, static_cast<int>(ByteState::initialised), bytes);
    const bool inside =
        std::memcmp(&states, &all_written, bytes) == 0 || check_global(lane, address, bytes, site);
    if (inside && global_shadow_.ready()) {
      note_words<bytes, true>(lane, global_shadow_, address - arena.begin, launch_key_, address, site);
    }
    return true;
  }
  if (address - shared_.begin < shared_.end - shared_.begin) {
    requests_.add(site, lane.lane, address, true);
    if (!in_shared_array(address, bytes)) [[unlikely]]
      return out_of_bounds();
    note_words<bytes, false>(lane, static_shadow_, address - shared_.begin, block_key_, address, site);
    return true;
  }
  if (address - dynamic_begin_ < dynamic_shadow_.covered_bytes()) {
    requests_.add(site, lane.lane, address, true);
    if (address - dynamic_begin_ + bytes > launch_->shared_bytes) [[unlikely]]
      return out_of_bounds();
    note_words<bytes, false>(lane, dynamic_shadow_, address - dynamic_begin_, block_key_, address, site);
    return true;
  }
  if (in_program(address)) return true;  // constants: neither counted nor checked
  requests_.add(site, lane.lane, address, false);
  return out_of_bounds();
}

}  // namespace tally::simt
