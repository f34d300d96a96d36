#include "harness/device/simt/memory.h"

#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>

namespace tally::simt {

constinit DeviceArena opened_arena;

namespace {

constexpr std::size_t alignment = 256, guard_bytes = 512;
constexpr unsigned char guard_pattern = 0xa5, unwritten_pattern = 0xff;
constexpr std::size_t page = 4096;

struct Buffer {
  std::string name;
  std::uintptr_t user;   // where the caller's bytes begin
  std::size_t bytes;     // the caller's
  std::size_t reserved;  // from the key on, guards included
};

struct Memory {
  std::mutex mutex;
  std::map<std::uintptr_t, Buffer> buffers;      // by first reserved address
  std::map<std::uintptr_t, std::size_t> unused;  // free ranges by address, never adjacent
};

Memory& memory() {
  static auto* instance = new Memory;
  return *instance;
}

void* reserve(std::size_t bytes) {
  void* range =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nullptr : range;
}

/// Address space for buffers and notes; pages become real when they are touched.
void open_arena(Memory& all) {
  if (opened_arena.bytes != 0) return;
  for (std::size_t bytes = std::size_t{1} << 38; bytes >= std::size_t{1} << 28; bytes /= 4) {
    void* range = reserve(bytes);
    void* states = range == nullptr ? nullptr : reserve(bytes);
    if (states == nullptr) {
      if (range != nullptr) munmap(range, bytes);
      continue;
    }
    opened_arena = {reinterpret_cast<std::uintptr_t>(range), bytes, static_cast<std::uint8_t*>(states)};
    all.unused[opened_arena.begin] = bytes;
    return;
  }
  throw std::runtime_error("simt memory: the system gives no address space for device memory");
}

void set_state(std::uintptr_t address, std::size_t bytes, ByteState state) {
  std::memset(opened_arena.state(address), static_cast<int>(state), bytes);
}

/// The buffer that holds all of [address, address + bytes).
Buffer& holder(Memory& all, std::uintptr_t address, std::size_t bytes, const char* what) {
  auto next = all.buffers.upper_bound(address);
  if (next != all.buffers.begin()) {
    Buffer& buffer = std::prev(next)->second;
    if (address >= buffer.user && address + bytes <= buffer.user + buffer.bytes) return buffer;
  }
  throw std::runtime_error(std::string("simt memory: ") + what + " of " + std::to_string(bytes) +
                           " bytes that are not all in one buffer");
}

bool all_guards(std::uintptr_t from, std::uintptr_t to) {
  for (; from < to; ++from) {
    if (*reinterpret_cast<const unsigned char*>(from) != guard_pattern) return false;
  }
  return true;
}

void give_range_back(Memory& all, std::uintptr_t begin, std::size_t bytes) {
  auto next = all.unused.upper_bound(begin);
  if (next != all.unused.end() && begin + bytes == next->first) {
    bytes += next->second;
    next = all.unused.erase(next);
  }
  if (next != all.unused.begin()) {
    if (const auto before = std::prev(next); before->first + before->second == begin) {
      before->second += bytes;
      return;
    }
  }
  all.unused[begin] = bytes;
}

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

void* allocate(std::size_t bytes, const char* name, std::size_t misalign_bytes) {
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  open_arena(all);
  const auto refuse = [&] {
    return std::runtime_error("simt memory: no room for " + std::to_string(bytes) + " bytes of '" + name +
                              "'");
  };
  if (bytes > opened_arena.bytes || misalign_bytes > opened_arena.bytes) throw refuse();
  const std::size_t reserved =
      (bytes + misalign_bytes + alignment - 1) / alignment * alignment + alignment + 2 * guard_bytes;
  for (auto range = all.unused.begin(); range != all.unused.end(); ++range) {
    if (range->second < reserved) continue;
    const auto [begin, length] = *range;
    all.unused.erase(range);
    if (length > reserved) all.unused[begin + reserved] = length - reserved;
    const std::uintptr_t aligned = (begin + guard_bytes + alignment - 1) / alignment * alignment;
    const Buffer buffer{name, aligned + misalign_bytes, bytes, reserved};
    std::memset(reinterpret_cast<void*>(begin), guard_pattern, buffer.user - begin);
    std::memset(reinterpret_cast<void*>(buffer.user), unwritten_pattern, bytes);
    std::memset(reinterpret_cast<void*>(buffer.user + bytes), guard_pattern,
                begin + reserved - buffer.user - bytes);
    set_state(buffer.user, bytes, ByteState::allocated);
    all.buffers[begin] = buffer;
    return reinterpret_cast<void*>(buffer.user);
  }
  throw refuse();
}

void release(void* pointer) {
  if (pointer == nullptr) return;
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  auto next = all.buffers.upper_bound(address_of(pointer));
  if (next == all.buffers.begin() || std::prev(next)->second.user != address_of(pointer)) {
    throw std::runtime_error("simt memory: release of an address that is not the beginning of a buffer");
  }
  const auto found = std::prev(next);
  const auto [begin, buffer] = *found;
  all.buffers.erase(found);
  set_state(buffer.user, buffer.bytes, ByteState::outside);
  if (const std::uintptr_t first = (begin + page - 1) / page * page,
      last = (begin + buffer.reserved) / page * page;
      last > first + 64 * page) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    madvise(opened_arena.state(first), last - first, MADV_DONTNEED);
  }
  give_range_back(all, begin, buffer.reserved);
}

void mark_initialised(void* address, std::size_t bytes) {
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  holder(all, address_of(address), bytes, "mark_initialised");
  set_state(address_of(address), bytes, ByteState::initialised);
}

void poison(void* address, std::size_t bytes) {
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  holder(all, address_of(address), bytes, "poison");
  std::memset(address, unwritten_pattern, bytes);
  set_state(address_of(address), bytes, ByteState::allocated);
}

bool guards_intact(void* pointer) {
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  const Buffer& buffer = holder(all, address_of(pointer), 0, "guards_intact");
  const auto found = std::prev(all.buffers.upper_bound(address_of(pointer)));
  return all_guards(found->first, buffer.user) &&
         all_guards(buffer.user + buffer.bytes, found->first + buffer.reserved);
}

BufferPlace find_buffer(std::uintptr_t address) {
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  const auto next = all.buffers.upper_bound(address);
  if (next == all.buffers.begin()) return {};
  const auto& [begin, buffer] = *std::prev(next);
  if (address >= begin + buffer.reserved) return {};
  return {buffer.name, static_cast<std::ptrdiff_t>(address - buffer.user), buffer.bytes};
}

void mark_everything_initialised() {
  Memory& all = memory();
  const std::lock_guard lock(all.mutex);
  for (const auto& [begin, buffer] : all.buffers) {
    set_state(buffer.user, buffer.bytes, ByteState::initialised);
  }
}

}  // namespace tally::simt
