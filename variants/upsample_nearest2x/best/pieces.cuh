#pragma once

#include <cstring>

#include "kernel.h"
#include "plan.h"

/// What the kernels are made of: accesses of pieces of 2 to 32 bytes, and the two instructions of
/// programmatic launches.
namespace tally_upsample::detail {

// Compiled for an older GPU, or by a C++ compiler that executes kernels, these are left out.
#if defined(__CUDACC__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900)
#define TALLY_UPSAMPLE_HOPPER 1
#else
#define TALLY_UPSAMPLE_HOPPER 0
#endif

/// Waits until all that was queued before this kernel has ended and can be read. Returns at once in a launch
/// that is not programmatic.
__device__ inline void wait_for_earlier_kernels() {
#if TALLY_UPSAMPLE_HOPPER
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// Lets a programmatic launch behind this kernel become resident while this one still runs; that one waits
/// for the end of this one itself.
__device__ inline void let_later_kernels_start() {
#if TALLY_UPSAMPLE_HOPPER
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// The type that is moved by one access of so many bytes.
template <int bytes>
struct AccessOf;
template <>
struct AccessOf<2> {
  using Type = unsigned short;
};
template <>
struct AccessOf<4> {
  using Type = unsigned;
};
template <>
struct AccessOf<8> {
  using Type = uint2;
};
template <>
struct AccessOf<16> {
  using Type = uint4;
};

/// Neighbouring elements of a row.
template <typename T, int count>
struct Piece {
  T of[count];
};

/// The elements at `from`, by accesses of `access` bytes, to which it is aligned.
template <int access, Hint hint, typename T, int count>
__device__ void load_piece(Piece<T, count>& piece, const T* from) {
  using Access = typename AccessOf<access>::Type;
  constexpr int elements = access / static_cast<int>(sizeof(T));
#pragma unroll
  for (int k = 0; k < count / elements; ++k) {
    const auto* address = reinterpret_cast<const Access*>(from + k * elements);
    const Access part = hint == Hint::evict_first ? __ldcs(address) : __ldcg(address);
    memcpy(static_cast<void*>(piece.of + k * elements), &part, access);
  }
}

template <int access, Hint hint, typename T, int count>
__device__ void store_piece(T* to, const Piece<T, count>& piece) {
  using Access = typename AccessOf<access>::Type;
  constexpr int elements = access / static_cast<int>(sizeof(T));
#pragma unroll
  for (int k = 0; k < count / elements; ++k) {
    Access part;
    memcpy(&part, static_cast<const void*>(piece.of + k * elements), access);
    auto* address = reinterpret_cast<Access*>(to + k * elements);
    if constexpr (hint == Hint::evict_first) {
      __stcs(address, part);
    } else {
      *address = part;
    }
  }
}

/// Each element twice.
template <typename T, int count>
__device__ Piece<T, 2 * count> doubled(const Piece<T, count>& piece) {
  Piece<T, 2 * count> twice;
#pragma unroll
  for (int k = 0; k < count; ++k) twice.of[2 * k] = twice.of[2 * k + 1] = piece.of[k];
  return twice;
}

/// The sums of the squares that two rows make. Halves are added up in float and rounded once.
template <typename T, int count>
__device__ Piece<T, count / 2> sums_of_squares(const Piece<T, count>& upper, const Piece<T, count>& lower) {
  Piece<T, count / 2> sums;
#pragma unroll
  for (int k = 0; k < count / 2; ++k) {
    if constexpr (sizeof(T) == 2) {
      const float of_upper = static_cast<float>(upper.of[2 * k]) + static_cast<float>(upper.of[2 * k + 1]);
      const float of_lower = static_cast<float>(lower.of[2 * k]) + static_cast<float>(lower.of[2 * k + 1]);
      sums.of[k] = static_cast<T>(of_upper + of_lower);
    } else {
      sums.of[k] = (upper.of[2 * k] + upper.of[2 * k + 1]) + (lower.of[2 * k] + lower.of[2 * k + 1]);
    }
  }
  return sums;
}

}  // namespace tally_upsample::detail
