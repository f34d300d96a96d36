#include "harness/device/simt/fibers.h"

#include <sys/mman.h>

#include <map>
#include <mutex>
#include <new>

namespace tally::simt {
namespace {

constexpr std::size_t guard_bytes = FiberStacks::stride - FiberStacks::stack_bytes;

/// Slabs that no launch uses now, by number of stacks. Never destroyed: workers may end after static objects
/// do.
struct IdleSlabs {
  std::mutex mutex;
  std::multimap<unsigned, char*> slabs;
};

IdleSlabs& idle_slabs() {
  static auto* idle = new IdleSlabs;
  return *idle;
}

/// Stacks that begin at one offset of a page would fight for the same cache lines.
std::size_t colour(unsigned index) { return (index * 5 % 32) * 128; }

char* new_slab(unsigned count) {
  void* memory = mmap(nullptr, count * FiberStacks::stride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  char* base = static_cast<char*>(memory);
  // A system may run out of mappings for guard pages; then the remaining stacks go without.
  for (unsigned i = 0; i < count; ++i) {
    if (mprotect(base + i * FiberStacks::stride, guard_bytes, PROT_NONE) != 0) break;
  }
  return base;
}

}  // namespace

FiberStacks::FiberStacks(unsigned count) {
  IdleSlabs& idle = idle_slabs();
  {
    const std::lock_guard lock(idle.mutex);
    if (const auto found = idle.slabs.lower_bound(count); found != idle.slabs.end()) {
      count_ = found->first;
      base_ = found->second;
      idle.slabs.erase(found);
      return;
    }
  }
  count_ = count <= 32 ? 32 : count <= 256 ? 256 : 1024;
  base_ = new_slab(count_);
}

FiberStacks::~FiberStacks() {
  IdleSlabs& idle = idle_slabs();
  const std::lock_guard lock(idle.mutex);
  idle.slabs.emplace(count_, base_);
}

void* FiberStacks::top(unsigned index) const { return base_ + (index + 1) * stride - colour(index); }

std::size_t FiberStacks::usable_bytes(unsigned index) const { return stack_bytes - colour(index); }

DynamicShared::DynamicShared(std::size_t bytes)
    : mapped_bytes_((bytes + 4095) / 4096 * 4096 + pad_bytes),
      memory_(mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
}

DynamicShared::~DynamicShared() { munmap(memory_, mapped_bytes_); }

}  // namespace tally::simt
