#include "harness/device/simt/shadow.h"

#include <sys/mman.h>

namespace tally::simt {

bool ShadowMemory::reset(std::size_t bytes) {
  if (cells_ != nullptr) munmap(cells_, (bytes_ / 4 + 1) * sizeof(ShadowCell));
  cells_ = nullptr;
  bytes_ = 0;
  if (bytes == 0) return true;
  void* range = mmap(nullptr, (bytes / 4 + 1) * sizeof(ShadowCell), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return false;
  // Neighbouring warps' cells are far apart: with small pages their addresses alone would cost more than
  // they.
  madvise(range, (bytes / 4 + 1) * sizeof(ShadowCell), MADV_HUGEPAGE);
  cells_ = static_cast<ShadowCell*>(range);
  bytes_ = bytes;
  return true;
}

}  // namespace tally::simt
