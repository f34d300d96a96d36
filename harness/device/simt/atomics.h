/// \file
/// CUDA's atomic functions for the CPU executor. Atomic between the threads of a grid, whichever cores run
/// them. Every function returns the old value. The work is done out of line, where each call is seen as one
/// atomic access.
#pragma once

#include <bit>
#include <cstdint>

#include "harness/device/simt/half.h"

namespace tally::simt {

enum class AtomicOperation : int {
  add,
  subtract,
  minimum,
  maximum,
  exchange,
  bit_and,
  bit_or,
  bit_xor,
  increment,
  decrement
};
enum class AtomicType : int {
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64,
  half,
  half2,
  bfloat16,
  bfloat162
};

/// Old contents of `*address` as bits; `operand` is given as bits of `type`.
std::uint64_t atomic_apply(AtomicOperation operation, AtomicType type, void* address,
                           std::uint64_t operand) TALLY_SIMT_RETURNS_HERE;

/// Compare and swap of 2, 4 or 8 bytes.
std::uint64_t atomic_compare_and_swap(void* address, std::uint64_t expected, std::uint64_t desired,
                                      int bytes) TALLY_SIMT_RETURNS_HERE;

template <typename T>
TALLY_SIMT_INLINE std::uint64_t to_bits(T value) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(std::uint64_t, value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(std::uint32_t, value);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(std::uint16_t, value);
  } else {
    return __builtin_bit_cast(std::uint8_t, value);
  }
}

template <typename T>
TALLY_SIMT_INLINE T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(T, bits);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, static_cast<std::uint32_t>(bits));
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<std::uint16_t>(bits));
  } else {
    return __builtin_bit_cast(T, static_cast<std::uint8_t>(bits));
  }
}

template <typename E>
TALLY_SIMT_INLINE std::uint64_t to_bits(const SmallFloatPair<E>& value) {
  return value.x.bits | (static_cast<std::uint32_t>(value.y.bits) << 16);
}

template <typename P>
TALLY_SIMT_INLINE P pair_from_bits(std::uint64_t bits) {
  using Element = decltype(P::x);
  return P(Element::from_bits(static_cast<std::uint16_t>(bits)),
           Element::from_bits(static_cast<std::uint16_t>(bits >> 16)));
}

#define TALLY_SIMT_ATOMIC(function, T, operation, type)                                         \
  TALLY_SIMT_INLINE T function(T* address, T operand) {                                         \
    return from_bits<T>(                                                                        \
        atomic_apply(AtomicOperation::operation, AtomicType::type, address, to_bits(operand))); \
  }
#define TALLY_SIMT_ATOMIC_INTEGERS(function, operation)    \
  TALLY_SIMT_ATOMIC(function, int, operation, int32)       \
  TALLY_SIMT_ATOMIC(function, unsigned, operation, uint32) \
  TALLY_SIMT_ATOMIC(function, unsigned long long, operation, uint64)
#define TALLY_SIMT_ATOMIC_PAIR(function, T, operation, type)                                    \
  TALLY_SIMT_INLINE T function(T* address, T operand) {                                         \
    return pair_from_bits<T>(                                                                   \
        atomic_apply(AtomicOperation::operation, AtomicType::type, address, to_bits(operand))); \
  }

TALLY_SIMT_ATOMIC_INTEGERS(atomicAdd, add)
TALLY_SIMT_ATOMIC(atomicAdd, float, add, float32)
TALLY_SIMT_ATOMIC(atomicAdd, double, add, float64)
TALLY_SIMT_ATOMIC(atomicAdd, __half, add, half)
TALLY_SIMT_ATOMIC(atomicAdd, __nv_bfloat16, add, bfloat16)
TALLY_SIMT_ATOMIC_PAIR(atomicAdd, __half2, add, half2)
TALLY_SIMT_ATOMIC_PAIR(atomicAdd, __nv_bfloat162, add, bfloat162)
TALLY_SIMT_ATOMIC(atomicSub, int, subtract, int32)
TALLY_SIMT_ATOMIC(atomicSub, unsigned, subtract, uint32)
TALLY_SIMT_ATOMIC_INTEGERS(atomicMin, minimum)
TALLY_SIMT_ATOMIC(atomicMin, long long, minimum, int64)
TALLY_SIMT_ATOMIC_INTEGERS(atomicMax, maximum)
TALLY_SIMT_ATOMIC(atomicMax, long long, maximum, int64)
TALLY_SIMT_ATOMIC_INTEGERS(atomicExch, exchange)
TALLY_SIMT_ATOMIC(atomicExch, float, exchange, float32)
TALLY_SIMT_ATOMIC_INTEGERS(atomicAnd, bit_and)
TALLY_SIMT_ATOMIC_INTEGERS(atomicOr, bit_or)
TALLY_SIMT_ATOMIC_INTEGERS(atomicXor, bit_xor)
TALLY_SIMT_ATOMIC(atomicInc, unsigned, increment, uint32)
TALLY_SIMT_ATOMIC(atomicDec, unsigned, decrement, uint32)

#undef TALLY_SIMT_ATOMIC
#undef TALLY_SIMT_ATOMIC_INTEGERS
#undef TALLY_SIMT_ATOMIC_PAIR

#define TALLY_SIMT_ATOMIC_CAS(T)                                                                           \
  TALLY_SIMT_INLINE T atomicCAS(T* address, T expected, T desired) {                                       \
    return from_bits<T>(atomic_compare_and_swap(address, to_bits(expected), to_bits(desired), sizeof(T))); \
  }
TALLY_SIMT_ATOMIC_CAS(int)
TALLY_SIMT_ATOMIC_CAS(unsigned)
TALLY_SIMT_ATOMIC_CAS(unsigned long long)
TALLY_SIMT_ATOMIC_CAS(unsigned short)
#undef TALLY_SIMT_ATOMIC_CAS

}  // namespace tally::simt
