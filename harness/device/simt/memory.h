/// \file
/// Device memory of the CPU executor: named buffers with guard zones, and a note for every byte of whether a
/// program may touch it and whether anything has written it. The checks of counters.h read these notes. All
/// functions may be called from any thread, between launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tally::simt {

/// `bytes` of device memory, aligned to 256 bytes and then moved up by `misalign_bytes`; filled as by
/// poison(). `name` is what findings call it. An allocation of 0 bytes has an address of its own. Throws
/// std::runtime_error when there is no memory left.
void* allocate(std::size_t bytes, const char* name, std::size_t misalign_bytes = 0);

/// Gives a buffer back; nullptr does nothing. Throws std::runtime_error for any other address that allocate()
/// did not give.
void release(void* buffer);

/// Notes that `bytes` from `address` on have been written, as a copy from the host does. The range must lie
/// in one buffer.
void mark_initialised(void* address, std::size_t bytes);

/// Notes that `bytes` from `address` on have not been written, and fills them with 0xff (a NaN in every
/// floating-point type).
void poison(void* address, std::size_t bytes);

/// Whether nothing was written just before or after the buffer, by whatever code.
bool guards_intact(void* buffer);

/// What the notes say of an address.
enum class ByteState : std::uint8_t { outside = 0, allocated = 1, initialised = 3 };

/// The buffer that an address lies in or next to, for messages.
struct BufferPlace {
  std::string name;           ///< empty: no buffer is near
  std::ptrdiff_t offset = 0;  ///< bytes from its beginning; negative before it
  std::size_t bytes = 0;      ///< its size
};
BufferPlace find_buffer(std::uintptr_t address);

/// Device memory and its notes, one byte of note for each byte of memory. `bytes` is 0 before the first
/// allocation.
struct DeviceArena {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::uint8_t* states = nullptr;

  bool contains(std::uintptr_t address) const { return address - begin < bytes; }
  std::uint8_t* state(std::uintptr_t address) const { return states + (address - begin); }
};
extern DeviceArena opened_arena;  // set once, by the first allocation
inline const DeviceArena& device_arena() { return opened_arena; }

/// Notes that a kernel has stored `bytes` (16 at most) at an address; does nothing outside buffers.
inline void mark_stored(std::uintptr_t address, unsigned bytes) {
  const DeviceArena& arena = device_arena();
  if (!arena.contains(address)) return;
  std::uint8_t* const states = arena.state(address);
  for (unsigned i = 0; i < bytes; ++i)
    states[i] = static_cast<std::uint8_t>(states[i] | ((states[i] & 1) << 1));
}

/// Notes that every byte of every buffer may have been written: for code whose stores are not seen.
void mark_everything_initialised();

}  // namespace tally::simt
