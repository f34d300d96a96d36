// Device memory: guards, notes of what was written, names, misalignment, release.
#include "harness/device/simt/memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

namespace tally::simt {
namespace {

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
ByteState state(const void* pointer) {
  return static_cast<ByteState>(*device_arena().state(address(pointer)));
}

TEST(Memory, is_aligned_and_misaligned_as_asked) {
  for (const std::size_t misalign : {0u, 1u, 4u, 255u}) {
    void* buffer = allocate(1000, "buffer", misalign);
    EXPECT_EQ(address(buffer) % 256, misalign);
    EXPECT_TRUE(guards_intact(buffer));
    release(buffer);
  }
}

TEST(Memory, guards_tell_of_one_byte_on_either_side) {
  for (const std::size_t bytes : {0u, 1u, 255u, 256u, 1000u}) {
    auto* buffer = static_cast<unsigned char*>(allocate(bytes, "guarded"));
    std::memset(buffer, 1, bytes);
    EXPECT_TRUE(guards_intact(buffer));
    buffer[bytes] ^= 1;
    EXPECT_FALSE(guards_intact(buffer));
    buffer[bytes] ^= 1;
    buffer[-1] ^= 1;
    EXPECT_FALSE(guards_intact(buffer));
    buffer[-1] ^= 1;
    EXPECT_TRUE(guards_intact(buffer));
    release(buffer);
  }
}

TEST(Memory, notes_what_was_written) {
  auto* buffer = static_cast<unsigned char*>(allocate(100, "noted"));
  EXPECT_EQ(state(buffer), ByteState::allocated);
  EXPECT_EQ(buffer[99], 0xff);
  EXPECT_EQ(state(buffer - 1), ByteState::outside);
  EXPECT_EQ(state(buffer + 100), ByteState::outside);
  mark_initialised(buffer + 10, 5);
  EXPECT_EQ(state(buffer + 9), ByteState::allocated);
  EXPECT_EQ(state(buffer + 10), ByteState::initialised);
  EXPECT_EQ(state(buffer + 14), ByteState::initialised);
  EXPECT_EQ(state(buffer + 15), ByteState::allocated);
  buffer[12] = 3;
  poison(buffer + 12, 1);
  EXPECT_EQ(state(buffer + 12), ByteState::allocated);
  EXPECT_EQ(buffer[12], 0xff);
  release(buffer);
  EXPECT_EQ(state(buffer), ByteState::outside);
}

TEST(Memory, buffers_are_found_by_address) {
  auto* first = static_cast<char*>(allocate(100, "first"));
  auto* second = static_cast<char*>(allocate(100, "second"));
  const BufferPlace inside = find_buffer(address(first + 7)), after = find_buffer(address(second + 104));
  EXPECT_EQ(inside.name, "first");
  EXPECT_EQ(inside.offset, 7);
  EXPECT_EQ(after.name, "second");
  EXPECT_EQ(after.offset, 104);
  EXPECT_EQ(after.bytes, 100u);
  EXPECT_EQ(find_buffer(address(first - 4)).offset, -4);
  release(first);
  release(second);
  EXPECT_EQ(find_buffer(address(first)).name, "");
}

TEST(Memory, released_ranges_are_used_again) {
  void* kept = allocate(64, "kept");
  void* first = allocate(1 << 20, "first");
  release(first);
  for (int i = 0; i < 100; ++i) {
    void* again = allocate(1 << 20, "again");
    EXPECT_EQ(again, first);
    EXPECT_EQ(state(again), ByteState::allocated);
    release(again);
  }
  release(kept);
}

TEST(Memory, wrong_calls_are_refused) {
  auto* buffer = static_cast<char*>(allocate(64, "buffer"));
  EXPECT_THROW(release(buffer + 1), std::runtime_error);
  EXPECT_THROW(mark_initialised(buffer + 60, 5), std::runtime_error);
  EXPECT_THROW(poison(buffer - 1, 1), std::runtime_error);
  EXPECT_THROW(allocate(std::size_t{1} << 60, "too much"), std::runtime_error);
  EXPECT_NO_THROW(release(nullptr));
  release(buffer);
  EXPECT_THROW(release(buffer), std::runtime_error);
}

}  // namespace
}  // namespace tally::simt
