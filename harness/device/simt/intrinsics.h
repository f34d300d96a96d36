/// \file
/// CUDA's built-in functions for the CPU executor: warp functions, cached loads, bits, arithmetic.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include "harness/device/simt/atomics.h"
#include "harness/device/simt/half.h"
#include "harness/device/simt/lane_runtime.h"

namespace tally::simt {

#define TALLY_SIMT_MEETING TALLY_SIMT_INLINE TALLY_SIMT_CONVERGENT

// Barriers.
TALLY_SIMT_MEETING void __syncthreads() { block_barrier(BarrierResult::none, 0); }
TALLY_SIMT_MEETING int __syncthreads_count(int predicate) {
  return block_barrier(BarrierResult::count, predicate);
}
TALLY_SIMT_MEETING int __syncthreads_and(int predicate) {
  return block_barrier(BarrierResult::all, predicate);
}
TALLY_SIMT_MEETING int __syncthreads_or(int predicate) {
  return block_barrier(BarrierResult::any, predicate);
}
TALLY_SIMT_MEETING void __syncwarp(unsigned mask = 0xffffffffu) {
  warp_meet(WarpOperation::barrier, mask, 0, 0);
}

// Shuffles. A source outside the segment of `width` lanes gives the lane its own value back.
template <typename T>
TALLY_SIMT_MEETING T shuffle_from(unsigned mask, const T& value, unsigned source) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 2, 4 or 8 bytes");
  if constexpr (std::is_same_v<T, __half2>) {
    return pair_from_bits<T>(warp_meet(WarpOperation::shuffle, mask, to_bits(value), source));
  } else if constexpr (std::is_same_v<T, __nv_bfloat162>) {
    return pair_from_bits<T>(warp_meet(WarpOperation::shuffle, mask, to_bits(value), source));
  } else {
    return from_bits<T>(warp_meet(WarpOperation::shuffle, mask, to_bits(value), source));
  }
}
template <typename T>
TALLY_SIMT_MEETING T __shfl_sync(unsigned mask, T value, int source, int width = 32) {
  const unsigned lane = lane_index(), segment = lane & ~(static_cast<unsigned>(width) - 1);
  return shuffle_from(mask, value,
                      segment + (static_cast<unsigned>(source) & (static_cast<unsigned>(width) - 1)));
}
template <typename T>
TALLY_SIMT_MEETING T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = lane_index(), first = lane & ~(static_cast<unsigned>(width) - 1);
  return shuffle_from(mask, value, lane < first + delta ? lane : lane - delta);
}
template <typename T>
TALLY_SIMT_MEETING T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  const unsigned lane = lane_index(), last = lane | (static_cast<unsigned>(width) - 1);
  return shuffle_from(mask, value, lane + delta > last ? lane : lane + delta);
}
template <typename T>
TALLY_SIMT_MEETING T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  const unsigned lane = lane_index(), last = lane | (static_cast<unsigned>(width) - 1);
  const unsigned source = lane ^ static_cast<unsigned>(lane_mask);
  return shuffle_from(mask, value, source > last ? lane : source);
}

// Votes and matches.
TALLY_SIMT_MEETING unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(warp_meet(WarpOperation::ballot, mask, predicate != 0, 0));
}
TALLY_SIMT_MEETING int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
TALLY_SIMT_MEETING int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
TALLY_SIMT_MEETING unsigned __activemask() { return active_mask(); }
template <typename T>
TALLY_SIMT_MEETING unsigned __match_any_sync(unsigned mask, T value) {
  return static_cast<unsigned>(warp_meet(WarpOperation::match_any, mask, to_bits(value), 0));
}

// Reductions over a warp.
template <typename T>
concept ReduceInteger = std::same_as<T, int> || std::same_as<T, unsigned>;
template <ReduceInteger T>
TALLY_SIMT_MEETING T reduce_over_warp(WarpOperation operation, unsigned mask, T value) {
  return static_cast<T>(warp_meet(operation, mask, static_cast<unsigned>(value), 0));
}
template <ReduceInteger T>
TALLY_SIMT_MEETING T __reduce_add_sync(unsigned mask, T value) {
  return reduce_over_warp(WarpOperation::add, mask, value);
}
template <ReduceInteger T>
TALLY_SIMT_MEETING T __reduce_min_sync(unsigned mask, T value) {
  return reduce_over_warp(
      std::is_signed_v<T> ? WarpOperation::minimum_signed : WarpOperation::minimum_unsigned, mask, value);
}
template <ReduceInteger T>
TALLY_SIMT_MEETING T __reduce_max_sync(unsigned mask, T value) {
  return reduce_over_warp(
      std::is_signed_v<T> ? WarpOperation::maximum_signed : WarpOperation::maximum_unsigned, mask, value);
}
TALLY_SIMT_MEETING unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return reduce_over_warp(WarpOperation::bit_and, mask, value);
}
TALLY_SIMT_MEETING unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return reduce_over_warp(WarpOperation::bit_or, mask, value);
}
TALLY_SIMT_MEETING unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return reduce_over_warp(WarpOperation::bit_xor, mask, value);
}
#undef TALLY_SIMT_MEETING

// Fences, waiting, clocks, traps.
TALLY_SIMT_INLINE void __threadfence() { fence(true); }
TALLY_SIMT_INLINE void __threadfence_block() { fence(false); }
TALLY_SIMT_INLINE void __threadfence_system() { fence(true); }
TALLY_SIMT_INLINE void __nanosleep(unsigned) { pause(); }
TALLY_SIMT_INLINE long long clock64() { return clock_now(); }
[[noreturn]] TALLY_SIMT_INLINE void __trap() { trap(); }

// Loads and stores with a cache hint are plain accesses here.
#define TALLY_SIMT_LOAD(name)                  \
  template <typename T>                        \
  TALLY_SIMT_INLINE T name(const T* address) { \
    return *address;                           \
  }
TALLY_SIMT_LOAD(__ldg)
TALLY_SIMT_LOAD(__ldca)
TALLY_SIMT_LOAD(__ldcg)
TALLY_SIMT_LOAD(__ldcs)
TALLY_SIMT_LOAD(__ldlu)
TALLY_SIMT_LOAD(__ldcv)
#undef TALLY_SIMT_LOAD
#define TALLY_SIMT_STORE(name)                                             \
  template <typename T>                                                    \
  TALLY_SIMT_INLINE void name(T* address, std::type_identity_t<T> value) { \
    *address = value;                                                      \
  }
TALLY_SIMT_STORE(__stwb)
TALLY_SIMT_STORE(__stcg)
TALLY_SIMT_STORE(__stcs)
TALLY_SIMT_STORE(__stwt)
#undef TALLY_SIMT_STORE

// Bits.
TALLY_SIMT_INLINE int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
TALLY_SIMT_INLINE int __clzll(long long a) { return std::countl_zero(static_cast<unsigned long long>(a)); }
TALLY_SIMT_INLINE int __popc(unsigned a) { return std::popcount(a); }
TALLY_SIMT_INLINE int __popcll(unsigned long long a) { return std::popcount(a); }
TALLY_SIMT_INLINE int __ffs(int a) { return __builtin_ffs(a); }
TALLY_SIMT_INLINE int __ffsll(long long a) { return __builtin_ffsll(a); }
TALLY_SIMT_INLINE unsigned __brev(unsigned a) {
  a = ((a >> 1) & 0x55555555u) | ((a & 0x55555555u) << 1);
  a = ((a >> 2) & 0x33333333u) | ((a & 0x33333333u) << 2);
  a = ((a >> 4) & 0x0f0f0f0fu) | ((a & 0x0f0f0f0fu) << 4);
  return __builtin_bswap32(a);
}
TALLY_SIMT_INLINE unsigned long long __brevll(unsigned long long a) {
  return (static_cast<unsigned long long>(__brev(static_cast<unsigned>(a))) << 32) |
         __brev(static_cast<unsigned>(a >> 32));
}
TALLY_SIMT_INLINE int __float_as_int(float a) { return std::bit_cast<int>(a); }
TALLY_SIMT_INLINE unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
TALLY_SIMT_INLINE float __int_as_float(int a) { return std::bit_cast<float>(a); }
TALLY_SIMT_INLINE float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
TALLY_SIMT_INLINE long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
TALLY_SIMT_INLINE double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }

// Integers.
TALLY_SIMT_INLINE int __mulhi(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) * b) >> 32);
}
TALLY_SIMT_INLINE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) * b) >> 32);
}
TALLY_SIMT_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>((static_cast<unsigned __int128>(a) * b) >> 64);
}

// Floating point with the rounding in the name. The CPU rounds to nearest, ties to even.
TALLY_SIMT_INLINE float __fadd_rn(float a, float b) { return a + b; }
TALLY_SIMT_INLINE float __fsub_rn(float a, float b) { return a - b; }
TALLY_SIMT_INLINE float __fmul_rn(float a, float b) { return a * b; }
TALLY_SIMT_INLINE float __fdiv_rn(float a, float b) { return a / b; }
TALLY_SIMT_INLINE float __fsqrt_rn(float a) { return std::sqrt(a); }
TALLY_SIMT_INLINE float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
TALLY_SIMT_INLINE double __dadd_rn(double a, double b) { return a + b; }
TALLY_SIMT_INLINE double __dmul_rn(double a, double b) { return a * b; }
TALLY_SIMT_INLINE double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
TALLY_SIMT_INLINE float __fdividef(float a, float b) { return a / b; }
TALLY_SIMT_INLINE float rsqrtf(float a) { return 1.0f / std::sqrt(a); }
TALLY_SIMT_INLINE float __saturatef(float a) { return a >= 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f; }

/// Sine and cosine of π · x, through a wider type's own.
TALLY_SIMT_INLINE void sincospi(float x, float* sine, float* cosine) {
  constexpr double pi = 3.14159265358979323846;
  *sine = static_cast<float>(std::sin(pi * x));
  *cosine = static_cast<float>(std::cos(pi * x));
}
TALLY_SIMT_INLINE void sincospi(double x, double* sine, double* cosine) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  *sine = static_cast<double>(std::sin(pi * x));
  *cosine = static_cast<double>(std::cos(pi * x));
}

/// min and max of two numbers of any arithmetic types; of a number and a NaN the number, as CUDA has it.
template <typename A, typename B>
concept TwoNumbers = std::is_arithmetic_v<A> && std::is_arithmetic_v<B>;
template <typename A, typename B>
requires TwoNumbers<A, B> TALLY_SIMT_INLINE constexpr auto min(A a, B b) -> std::common_type_t<A, B> {
  using T = std::common_type_t<A, B>;
  const T first = static_cast<T>(a), second = static_cast<T>(b);
  return first != first || second < first ? second : first;
}
template <typename A, typename B>
requires TwoNumbers<A, B> TALLY_SIMT_INLINE constexpr auto max(A a, B b) -> std::common_type_t<A, B> {
  using T = std::common_type_t<A, B>;
  const T first = static_cast<T>(a), second = static_cast<T>(b);
  return first != first || first < second ? second : first;
}

}  // namespace tally::simt
