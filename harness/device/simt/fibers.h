/// \file
/// What a worker's threads stand on: stacks of fibers, kept for reuse by later launches, and dynamic shared
/// memory.
#pragma once

#include <cstddef>

namespace tally::simt {

struct AddressRange {
  const char* begin = nullptr;
  std::size_t bytes = 0;
  bool contains(const void* address) const {
    return static_cast<std::size_t>(static_cast<const char*>(address) - begin) < bytes;
  }
};

/// Stacks for the threads of one block. Memory is reserved at once and used as far as it is touched.
class FiberStacks {
 public:
  static constexpr std::size_t stack_bytes = 128 * 1024;
  /// From stack to stack, a guard page included. An odd number of pages: at a power of two all stacks would
  /// fight for the same few entries of the processor's address translation.
  static constexpr std::size_t stride = stack_bytes + 4096;

  explicit FiberStacks(unsigned count);
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  unsigned count() const { return count_; }
  /// The high end of a stack, where it begins.
  void* top(unsigned index) const;
  std::size_t usable_bytes(unsigned index) const;
  AddressRange range() const { return {base_, count_ * stride}; }

 private:
  char* base_;
  unsigned count_;
};

/// A block's dynamic shared memory: aligned to a page, with room behind it that catches what runs over.
class DynamicShared {
 public:
  static constexpr std::size_t pad_bytes = 64 * 1024;

  explicit DynamicShared(std::size_t bytes);
  ~DynamicShared();
  DynamicShared(const DynamicShared&) = delete;
  DynamicShared& operator=(const DynamicShared&) = delete;
  void* get() const { return memory_; }

 private:
  std::size_t mapped_bytes_;
  void* memory_;
};

}  // namespace tally::simt
