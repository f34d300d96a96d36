// Accesses of many lanes checked in one go, where that gives what looking at them one by one would. What is
// not plainly right is left to check_accesses(), which then sees all of them again: to see an access twice
// changes nothing.
#include <bit>
#include <cstring>

#include "harness/device/simt/recorder.h"

namespace tally::simt {

/// The memory that a joint access reaches, and its history.
struct Recorder::Reached {
  ShadowMemory* shadow;
  std::uintptr_t begin;
  std::uint32_t key;
  bool is_shared;
};

namespace {

/// The last two readers in the order in which lanes ran, whichever of them is noted first.
void add_reader(ShadowCell& cell, const AccessNote& note, const Ways& ways) {
  const auto later = [&](const AccessNote& other) {
    return other.time == note.time && ways.ran_after(other.thread % 32, note.thread % 32);
  };
  AccessNote &reader = cell.reader, &other = cell.other_reader;
  if (reader.time != 0 && (reader.thread != note.thread || reader.block != note.block)) {
    if (later(reader)) {
      if (other.thread == note.thread || !later(other)) other = note;
      return;
    }
    other = reader;
  }
  reader = note;
}

bool all_initialised(const std::uint8_t* states, unsigned bytes) {
  bool all = true;
  for (unsigned i = 0; i < bytes; ++i) all &= states[i] == static_cast<std::uint8_t>(ByteState::initialised);
  return all;
}

/// False when a byte is in no buffer.
bool initialise(std::uint8_t* states, unsigned bytes) {
  bool all = true;
  for (unsigned i = 0; i < bytes; ++i) all &= states[i] != static_cast<std::uint8_t>(ByteState::outside);
  if (all) std::memset(states, static_cast<int>(ByteState::initialised), bytes);
  return all;
}

template <unsigned bytes>
bool states_allow(const JointAccess& joint, const Ways& ways) {
  const DeviceArena& arena = device_arena();
  const bool is_load = joint.site->kind == AccessKind::load;
  const auto allowed = [&](std::uintptr_t address, unsigned count) {
    return is_load ? all_initialised(arena.state(address), count) : initialise(arena.state(address), count);
  };
  if (joint.in_line && joint.lanes == ~0u) return allowed(joint.lowest, 32 * bytes);
  bool all = true;
  for (std::uint32_t rest = joint.lanes; rest != 0; rest &= rest - 1) {
    all &= allowed(ways.addresses(static_cast<unsigned>(std::countr_zero(rest)))[joint.index], bytes);
  }
  return all;
}

}  // namespace

template <unsigned bytes, bool is_load>
bool Recorder::note_together(const JointAccess& joint, const Reached& reached) {
  const auto fine = [&](const AccessNote& earlier, unsigned thread) {
    return earlier.time == 0 || order_.plainly_ordered(earlier, thread);
  };
  AccessNote note;
  note.time = order_.now();
  note.block = block_;
  note.site = joint.site->index;
  for (std::uint32_t rest = joint.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uintptr_t address = ways_.addresses(lane)[joint.index];
    note.thread = static_cast<std::uint16_t>(warp_ * 32 + lane);
    note.bytes = static_cast<std::uint8_t>((bytes >= 4 ? 0xfu : (1u << bytes) - 1) << (address % 4));
    ShadowCell* cell = reached.shadow->cell(address - reached.begin);
    for (unsigned done = 0; done < bytes; done += 4, ++cell) {
      if (cell->key != reached.key) cell->begin(reached.key);
      if (!fine(cell->write, note.thread)) return false;
      if (is_load) {
        if (reached.is_shared && (note.bytes & ~cell->written) != 0) return false;
        add_reader(*cell, note, ways_);
      } else {
        if (!fine(cell->reader, note.thread) || !fine(cell->other_reader, note.thread)) return false;
        cell->write = note;
        cell->written |= note.bytes;
      }
    }
  }
  return true;
}

template <unsigned bytes>
bool Recorder::check_together(const JointAccess& joint, bool by_ways) {
  const DeviceArena& arena = device_arena();
  Reached reached{};
  if (arena.contains(joint.lowest) && arena.contains(joint.end - 1)) {
    if (!states_allow<bytes>(joint, ways_) || !global_shadow_.ready()) return false;
    reached = {&global_shadow_, arena.begin, launch_key_, false};
  } else if (in_static_shared(joint.lowest)) {
    const std::uint64_t whole = joint.end - joint.lowest;
    if (joint.end > shared_.end || !in_shared_array(joint.lowest, static_cast<unsigned>(whole))) return false;
    reached = {&static_shadow_, shared_.begin, block_key_, true};
  } else if (in_dynamic_shared(joint.lowest)) {
    if (joint.end - dynamic_begin_ > launch_->shared_bytes) return false;
    reached = {&dynamic_shadow_, dynamic_begin_, block_key_, true};
  } else {
    if (!by_ways || !in_program(joint.lowest) || joint.end > constants_end_) return false;
    *joint.event = {Event::Kind::not_counted, joint.event->index()};
    return true;
  }
  return joint.site->kind == AccessKind::load ? note_together<bytes, true>(joint, reached)
                                              : note_together<bytes, false>(joint, reached);
}

/// False when the accesses in the log must be looked at one by one. `by_ways`: what does not count need only
/// be taken out of the ways, not out of each lane's part of the log.
bool Recorder::check_together(bool by_ways) {
  if (order_.has_fresh_fence() || !joint_accesses_.find(ways_, requests_)) return false;
  for (const JointAccess& joint : joint_accesses_.all()) {
    const unsigned bytes = joint.site->bytes;
    const bool fine = bytes == 1   ? check_together<1>(joint, by_ways)
                      : bytes == 2 ? check_together<2>(joint, by_ways)
                      : bytes == 4 ? check_together<4>(joint, by_ways)
                      : bytes == 8 ? check_together<8>(joint, by_ways)
                                   : check_together<16>(joint, by_ways);
    if (!fine) return false;
  }
  return true;
}

}  // namespace tally::simt
