// The recorder's view of one access: what memory it reaches, whether it may, and who was there before.
#include <algorithm>

#include "harness/device/simt/recorder.h"
#include "harness/device/simt/symbolizer.h"
#include "harness/device/simt/text.h"

namespace tally::simt {
namespace {

const char* verb(AccessKind kind) {
  return kind == AccessKind::load ? "reads" : kind == AccessKind::store ? "writes" : "changes";
}

}  // namespace

/// For bytes that are not all known to be written: whether they belong to a buffer at least.
bool Recorder::check_global(const Lane& lane, std::uintptr_t address, unsigned bytes, const Site& site) {
  std::uint8_t* const states = device_arena().state(address);
  if (std::find(states, states + bytes, static_cast<std::uint8_t>(ByteState::outside)) != states + bytes) {
    note_access_fault(FindingKind::out_of_bounds, lane, address, bytes, site);
    return false;
  }
  if (site.kind != AccessKind::store) {
    note_access_fault(FindingKind::uninitialised_read, lane, address, bytes, site);
  }
  if (site.kind != AccessKind::load) {
    std::fill(states, states + bytes, static_cast<std::uint8_t>(ByteState::initialised));
  }
  return true;
}

/// Whether all bytes belong to one array that this kernel may use.
bool Recorder::in_shared_array(std::uintptr_t address, unsigned bytes) {
  const std::size_t offset = address - shared_.begin;
  const std::uint32_t array = array_of_word_[offset / 4];
  if (!array_allowed_[array]) return false;
  if (array == 0) return true;  // a program without symbols: nothing is known of its arrays
  const SharedArray& found = (*shared_.arrays)[array - 1];
  if (offset < found.offset || offset + bytes > found.offset + found.bytes) return false;
  array_touched_[array] = true;
  return true;
}

/// Of memory that is not the arena's: whether a write there can harm nothing but what the kernel itself has.
bool Recorder::may_write(std::uintptr_t address, unsigned bytes) {
  const auto within = [&](std::uintptr_t begin, std::size_t size) {
    if (address < begin || address + bytes > begin + size) return false;
    writable_begin_ = begin;
    writable_end_ = begin + size;
    return true;
  };
  if (in_dynamic_shared(address)) return within(dynamic_begin_, launch_->shared_bytes);
  if (!in_static_shared(address)) return in_program(address);
  if (!in_shared_array(address, bytes)) return false;
  const std::uint32_t array = array_of_word_[(address - shared_.begin) / 4];
  if (array == 0) return true;
  const SharedArray& found = (*shared_.arrays)[array - 1];
  return within(shared_.begin + found.offset, found.bytes);
}

/// Whether the address lies in the program or one of its libraries, as constants do; else it is the host's.
bool Recorder::in_program(std::uintptr_t address) {
  if (address >= constants_begin_ && address < constants_end_) return true;
  const Module module = module_of(reinterpret_cast<const void*>(address));
  if (module.path.empty()) return false;
  constants_begin_ = module.part_begin;
  constants_end_ = module.part_end;
  return true;
}

std::string Recorder::refused(AccessKind kind, std::uintptr_t address, unsigned bytes) {
  check_accesses();
  log_.clear();
  return describe(kind, address, bytes);
}

std::string Recorder::describe(AccessKind kind, std::uintptr_t address, unsigned bytes) const {
  return std::string(verb(kind)) + " " + name_address(address, bytes).text;
}

Recorder::Named Recorder::name_address(std::uintptr_t address, unsigned bytes) const {
  const std::string size = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  const auto at = [&](const char* kind, const std::string& name, std::ptrdiff_t offset, std::size_t whole) {
    return Named{name, size + " at " + std::to_string(offset) + " of " + kind + " '" + name + "' (" +
                           std::to_string(whole) + " bytes)"};
  };
  if (device_arena().contains(address)) {
    const BufferPlace place = find_buffer(address);
    if (!place.name.empty()) return at("buffer", place.name, place.offset, place.bytes);
    return {{}, size + " of device memory that is in no buffer"};
  }
  if (in_static_shared(address)) {
    // The array it lies in, if this kernel may use it; else the nearest one before that it may.
    const std::size_t offset = address - shared_.begin;
    for (std::size_t i = shared_.arrays->size(); i-- > 0;) {
      const SharedArray& array = (*shared_.arrays)[i];
      if (array.offset > offset || !array_allowed_[i + 1]) continue;
      const bool inside = offset < array.offset + array.bytes;
      if (inside || array_touched_[i + 1]) {
        return at("shared array", array.name, static_cast<std::ptrdiff_t>(offset - array.offset),
                  array.bytes);
      }
    }
    return {{}, size + " of shared memory that is in no array of this kernel"};
  }
  if (in_dynamic_shared(address)) {
    return at("dynamic shared memory", "dynamic", static_cast<std::ptrdiff_t>(address - dynamic_begin_),
              launch_->shared_bytes);
  }
  return {{}, size + " of memory that is not the device's"};
}

uint3 Recorder::thread_of(unsigned thread) const { return worker_->thread_index(thread); }

uint3 Recorder::block_of(std::uint32_t block) const {
  const dim3 grid = launch_->grid;
  return {block % grid.x, block / grid.x % grid.y, block / grid.x / grid.y};
}

/// What every finding of the block at work says.
RawFinding Recorder::begin_finding(FindingKind kind, const Lane* lane, const void* place) const {
  RawFinding finding;
  finding.kind = kind;
  finding.place = place;
  finding.kernel = kernel_;
  finding.thread = lane == nullptr ? uint3{} : worker_->thread_index(lane->thread);
  finding.block = worker_->block();
  return finding;
}

RawFinding Recorder::begin_access_finding(FindingKind kind, const Lane& lane, std::uintptr_t address,
                                          unsigned bytes, const Site& site) const {
  RawFinding finding = begin_finding(kind, &lane, site.place);
  const Named named = name_address(address, bytes);
  finding.address = address;
  finding.buffer = named.buffer;
  finding.what = describe(site.kind, address, bytes);
  return finding;
}

void Recorder::note(FindingKind kind, const Lane* lane, const void* place, const std::string& what) {
  check_accesses();  // what came before comes first
  log_.clear();
  if (!findings_.is_new(kind, place, nullptr, kernel_id_)) return;
  RawFinding finding = begin_finding(kind, lane, place);
  finding.what = what;
  findings_.add(std::move(finding));
}

void Recorder::note_access_fault(FindingKind kind, const Lane& lane, std::uintptr_t address, unsigned bytes,
                                 const Site& site) {
  if (!findings_.is_new(kind, site.place, nullptr, kernel_id_)) return;
  findings_.add(begin_access_finding(kind, lane, address, bytes, site));
}

void Recorder::note_race(const Lane& lane, const Conflict& conflict, std::uintptr_t address, unsigned bytes,
                         const Site& site, bool between_blocks) {
  const FindingKind kind = between_blocks ? FindingKind::global_race : FindingKind::shared_race;
  const void* other_place = requests_.sites()[conflict.with.site]->place;
  if (!findings_.is_new(kind, site.place, other_place, kernel_id_)) return;
  RawFinding finding = begin_access_finding(kind, lane, address, bytes, site);
  finding.other_place = other_place;
  finding.other_what = "thread " + triple(thread_of(conflict.with.thread));
  if (conflict.with.block != block_)
    finding.other_what += " of block " + triple(block_of(conflict.with.block));
  finding.other_what += conflict.earlier_wrote ? " wrote" : " read";
  findings_.add(std::move(finding));
}

}  // namespace tally::simt
