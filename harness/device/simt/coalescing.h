/// \file
/// What one warp-wide memory instruction costs: 32-byte sectors of global memory, wavefronts and bank
/// conflicts of shared memory. Pure functions. They give every figure of
/// tests/harness/device/simt/hardware_counters.csv, which one H200 counted; how lanes are grouped where the
/// file leaves it open is said at each function.
#pragma once

#include <array>
#include <cstdint>

namespace tally::simt {

/// The addresses of one warp's instruction. Lane l takes part when bit l of `active` is set; each lane moves
/// `bytes` (1, 2, 4, 8 or 16) at a multiple of `bytes`.
struct WarpAccess {
  std::uint32_t active = 0;
  unsigned bytes = 0;
  const std::uint64_t* addresses = nullptr;  ///< 32 of them; those of inactive lanes are not read
};

struct SharedCost {
  unsigned wavefronts = 0;
  unsigned bank_conflicts = 0;  ///< wavefronts beyond those that the same lanes need at best
  friend bool operator==(const SharedCost&, const SharedCost&) = default;
};

/// Shared memory has 32 banks of 4 bytes. Up to 4 bytes a lane, all lanes go together; of 8 bytes, half-warps
/// do; of 16, quarter-warps. A group takes as many wavefronts as the most distinct words that fall into one
/// bank. Loads: two neighbouring groups become one when each active lane l finds lane l^1, or each finds lane
/// l^2, inactive or at its own address. (So broadcasts merge, and a warp of which every second lane is
/// active.) A quarter-warp merges within its half only.
SharedCost shared_load(const WarpAccess& access);

/// As shared_load, but groups never merge.
SharedCost shared_store(const WarpAccess& access);

/// Integer atomics: as a load of up to 4 bytes.
SharedCost shared_atomic(const WarpAccess& access);

/// Atomics that the hardware has no instruction for (all floating-point ones) compare and swap in a loop: two
/// wavefronts for each lane of the fullest bank, none of them counted as a conflict.
SharedCost shared_atomic_loop(const WarpAccess& access);

/// Distinct 32-byte sectors touched.
unsigned global_sectors(const WarpAccess& access);

/// Sectors of a global reduction or atomic: a sector is taken once for each lane that meets the same address
/// in it.
unsigned global_atomic_sectors(const WarpAccess& access);

/// Lanes that find their address taken by another lane of the same instruction.
unsigned address_conflicts(const WarpAccess& access);

}  // namespace tally::simt
