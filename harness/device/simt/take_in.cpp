// The recorder takes in what lanes did: each access in its turn (which memory it reaches, who was there
// before), then all lanes' ways together.
#include <algorithm>
#include <array>
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
TALLY_SIMT_INLINE bool Recorder::check_access(const Lane& lane, std::uintptr_t address, const Site& site) {
  const DeviceArena& arena = device_arena();
  if (address % bytes != 0) [[unlikely]] {
    note_access_fault(FindingKind::misaligned_access, lane, address, bytes, site);
    return false;
  }
  if (arena.contains(address)) {
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
  if (in_static_shared(address)) {
    if (!in_shared_array(address, bytes)) [[unlikely]] {
      note_access_fault(FindingKind::out_of_bounds, lane, address, bytes, site);
    } else {
      note_words<bytes, false>(lane, static_shadow_, address - shared_.begin, block_key_, address, site);
    }
    return true;
  }
  if (in_dynamic_shared(address)) {
    if (address - dynamic_begin_ + bytes > launch_->shared_bytes) [[unlikely]] {
      note_access_fault(FindingKind::out_of_bounds, lane, address, bytes, site);
    } else {
      note_words<bytes, false>(lane, dynamic_shadow_, address - dynamic_begin_, block_key_, address, site);
    }
    return true;
  }
  if (in_program(address)) return false;  // constants: neither counted nor checked
  note_access_fault(FindingKind::out_of_bounds, lane, address, bytes, site);
  return true;
}

bool Recorder::check_access(const Lane& lane, std::uintptr_t address, const Site& site) {
  switch (site.bytes) {
    case 1:
      return check_access<1>(lane, address, site);
    case 2:
      return check_access<2>(lane, address, site);
    case 4:
      return check_access<4>(lane, address, site);
    case 8:
      return check_access<8>(lane, address, site);
    default:
      return check_access<16>(lane, address, site);
  }
}

/// In the order in which lanes made them.
void Recorder::check_accesses() {
  constexpr std::ptrdiff_t ahead = 12;  // accesses, so that shadow cells are there when their turn comes
  const std::uint64_t* const last = log_.addresses_end();
  const DeviceArena& arena = device_arena();
  for (const Stretch& stretch : log_.stretches()) {
    const Lane& lane = worker_->lane(warp_ * 32 + stretch.lane);
    const std::uint64_t* address = stretch.addresses;
    for (Event& event : stretch.events()) {
      if (event.kind() == Event::Kind::code) continue;
      if (event.kind() == Event::Kind::fence) {
        order_.fence(lane.thread);
        continue;
      }
      if (last - address > ahead && arena.contains(address[ahead])) {
        global_shadow_.prefetch(address[ahead] - arena.begin);
      }
      if (!check_access(lane, *address++, *requests_.sites()[event.index()])) {
        event = {Event::Kind::not_counted, event.index()};
      }
    }
  }
}

/// Adds a way to the groups of blocks of code and of requests.
template <typename AddressesOf>
void Recorder::group(const Way& way, AddressesOf addresses_of) {
  CodePosition position;
  std::size_t access = 0;
  for (const Event event : way.events) {
    switch (event.kind()) {
      case Event::Kind::code:
        code_.enter(warp_code_[warp_], way.lanes, position, event.index());
        break;
      case Event::Kind::access: {
        Request& request = requests_.next(*requests_.sites()[event.index()], way.lanes);
        for (std::uint32_t rest = way.lanes; rest != 0; rest &= rest - 1) {
          const auto lane = static_cast<unsigned>(std::countr_zero(rest));
          const std::uint64_t address = addresses_of(lane)[access];
          const bool shared = in_static_shared(address) || in_dynamic_shared(address);
          request.addresses[lane] = address;
          (shared ? request.shared : request.global) |= 1u << lane;
        }
        [[fallthrough]];
      }
      case Event::Kind::not_counted:
        ++access;
        break;
      case Event::Kind::fence:
        break;
    }
  }
  code_.stay(warp_code_[warp_], way.lanes, position);
}

/// Looks at what the log holds, empties it, and counts what no lane of `running` can still join.
void Recorder::take_in(const Warp& warp, std::uint32_t running) {
  // Where nothing will be left open, lanes that went one way are counted as one.
  const auto by_ways = [&] {
    return requests_.nothing_open() && code_.nothing_open() &&
           (running == 0 || (ways_.size() == 1 && (running & ~ways_.begin()->lanes) == 0));
  };
  saw_code_ = saw_code_ || !log_.is_empty();
  order_.next_moment();
  bool ways_known = ways_.find(log_);
  if (log_.has_work() && !(ways_known && check_together(by_ways()))) {
    check_accesses();
    ways_known = ways_.find(log_);  // what does not count is out of the log now
  }
  if (ways_known && by_ways()) {
    for (const Way& way : ways_) group(way, [&](unsigned lane) { return ways_.addresses(lane); });
    running = 0;
  } else {
    for (const Stretch& stretch : log_.stretches()) {
      group({1u << stretch.lane, stretch.events()}, [&](unsigned) { return stretch.addresses; });
    }
  }
  log_.clear();
  requests_.flush(running, counters_);
  code_.flush(warp_code_[warp_], running, warp.live, counters_);
}

}  // namespace tally::simt
