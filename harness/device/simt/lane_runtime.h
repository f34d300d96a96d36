/// \file
/// What a running lane asks of the executor. language.h spells CUDA's built-ins with these; nothing else
/// calls them. Only scalars and pointers cross this line, since kernels and executor may come from two
/// compilers.
#pragma once

#include <cstdint>

#include "harness/device/simt/types.h"

// A convergent call may not be made to depend on more conditions than the source says: without this, an
// optimiser may copy one barrier into two branches, and lanes would meet at different places.
#if defined(__clang__)
#define TALLY_SIMT_CONVERGENT __attribute__((convergent))
#else
#define TALLY_SIMT_CONVERGENT
#endif

namespace tally::simt {

// Constant while a lane lives, so a compiler may keep them.
uint3 thread_index() __attribute__((const));
uint3 block_index() __attribute__((const));
dim3 block_extent() __attribute__((const));
dim3 grid_extent() __attribute__((const));
void* dynamic_shared_memory() __attribute__((const));
/// This thread's lane in its warp, 0 … 31.
unsigned lane_index() __attribute__((const));

enum class BarrierResult : int { none, count, all, any };

/// Waits for every thread of the block; gives the count, conjunction or disjunction of `predicate` over them.
int block_barrier(BarrierResult result, int predicate) TALLY_SIMT_CONVERGENT TALLY_SIMT_RETURNS_HERE;

enum class WarpOperation : int {
  barrier,
  shuffle,    ///< value of lane `source`
  ballot,     ///< mask of the lanes whose value is not 0
  match_any,  ///< mask of the lanes with this lane's value
  add,        ///< sums modulo 2^32
  minimum_signed,
  maximum_signed,
  minimum_unsigned,
  maximum_unsigned,
  bit_and,
  bit_or,
  bit_xor
};

/// Meets the lanes named in `mask` and gives this lane its result. `source` is used by `shuffle` only.
std::uint64_t warp_meet(WarpOperation operation, unsigned mask, std::uint64_t value,
                        unsigned source) TALLY_SIMT_CONVERGENT TALLY_SIMT_RETURNS_HERE;

/// The lanes of the warp that reach this call together.
unsigned active_mask() TALLY_SIMT_CONVERGENT TALLY_SIMT_RETURNS_HERE;

/// Orders this thread's writes before its later ones, as seen by the grid (or by its block only).
void fence(bool whole_grid) TALLY_SIMT_RETURNS_HERE;

/// The lane has nothing to do until another thread acts: others run first.
void pause() TALLY_SIMT_RETURNS_HERE;

/// Stops the launch with an error, as `__trap()` and a failed `assert` do.
[[noreturn]] void trap();
[[noreturn]] void assertion_failed(const char* condition, const char* file, unsigned line);

/// Nanoseconds on a clock that never goes back.
std::int64_t clock_now();

}  // namespace tally::simt
