/// \file
/// __half, __nv_bfloat16 and their pairs for the CPU executor, named and rounded as in cuda_fp16.h and
/// cuda_bf16.h. One operation is computed in float and rounded once more: 24 bits are at least 2·11+2, so the
/// result is the correctly rounded one (Figueroa, "When is double rounding innocuous?", 1995). Fused
/// operations go through double.
#pragma once

#include <concepts>
#include <type_traits>

#include "harness/device/simt/small_float.h"

namespace tally::simt {

template <typename Format>
struct SmallFloat {
  std::uint16_t bits;

  SmallFloat() = default;
  TALLY_SIMT_INLINE SmallFloat(double value) : bits(small_float_from<Format>(value)) {}
  TALLY_SIMT_INLINE SmallFloat(float value) : bits(small_float_from<Format>(value)) {}
  template <std::integral I>
  TALLY_SIMT_INLINE SmallFloat(I value) : bits(small_float_from<Format>(static_cast<double>(value))) {}
  TALLY_SIMT_INLINE operator float() const { return small_float_value<Format>(bits); }

  TALLY_SIMT_INLINE static SmallFloat from_bits(std::uint16_t pattern) {
    SmallFloat value;
    value.bits = pattern;
    return value;
  }

  TALLY_SIMT_INLINE SmallFloat& operator+=(SmallFloat b) { return *this = *this + b; }
  TALLY_SIMT_INLINE SmallFloat& operator-=(SmallFloat b) { return *this = *this - b; }
  TALLY_SIMT_INLINE SmallFloat& operator*=(SmallFloat b) { return *this = *this * b; }
  TALLY_SIMT_INLINE SmallFloat& operator/=(SmallFloat b) { return *this = *this / b; }

  TALLY_SIMT_INLINE friend SmallFloat operator+(SmallFloat a, SmallFloat b) { return float(a) + float(b); }
  TALLY_SIMT_INLINE friend SmallFloat operator-(SmallFloat a, SmallFloat b) { return float(a) - float(b); }
  TALLY_SIMT_INLINE friend SmallFloat operator*(SmallFloat a, SmallFloat b) { return float(a) * float(b); }
  TALLY_SIMT_INLINE friend SmallFloat operator/(SmallFloat a, SmallFloat b) { return float(a) / float(b); }
  TALLY_SIMT_INLINE friend SmallFloat operator-(SmallFloat a) { return from_bits(a.bits ^ 0x8000); }
  TALLY_SIMT_INLINE friend SmallFloat operator+(SmallFloat a) { return a; }
  TALLY_SIMT_INLINE friend bool operator==(SmallFloat a, SmallFloat b) { return float(a) == float(b); }
  TALLY_SIMT_INLINE friend bool operator!=(SmallFloat a, SmallFloat b) { return float(a) != float(b); }
  TALLY_SIMT_INLINE friend bool operator<(SmallFloat a, SmallFloat b) { return float(a) < float(b); }
  TALLY_SIMT_INLINE friend bool operator<=(SmallFloat a, SmallFloat b) { return float(a) <= float(b); }
  TALLY_SIMT_INLINE friend bool operator>(SmallFloat a, SmallFloat b) { return float(a) > float(b); }
  TALLY_SIMT_INLINE friend bool operator>=(SmallFloat a, SmallFloat b) { return float(a) >= float(b); }
};

/// Two 16-bit floats in one 32-bit word; copied as one access, like CUDA's.
template <typename Element>
struct alignas(4) SmallFloatPair {
  Element x, y;

  TALLY_SIMT_VECTOR_COPY(SmallFloatPair, std::uint16_t, 2)
  TALLY_SIMT_INLINE SmallFloatPair(Element x_, Element y_) : x(x_), y(y_) {}

  TALLY_SIMT_INLINE SmallFloatPair& operator+=(SmallFloatPair b) { return *this = *this + b; }
  TALLY_SIMT_INLINE SmallFloatPair& operator-=(SmallFloatPair b) { return *this = *this - b; }
  TALLY_SIMT_INLINE SmallFloatPair& operator*=(SmallFloatPair b) { return *this = *this * b; }

  TALLY_SIMT_INLINE friend SmallFloatPair operator+(const SmallFloatPair& a, const SmallFloatPair& b) {
    return {a.x + b.x, a.y + b.y};
  }
  TALLY_SIMT_INLINE friend SmallFloatPair operator-(const SmallFloatPair& a, const SmallFloatPair& b) {
    return {a.x - b.x, a.y - b.y};
  }
  TALLY_SIMT_INLINE friend SmallFloatPair operator*(const SmallFloatPair& a, const SmallFloatPair& b) {
    return {a.x * b.x, a.y * b.y};
  }
  TALLY_SIMT_INLINE friend SmallFloatPair operator/(const SmallFloatPair& a, const SmallFloatPair& b) {
    return {a.x / b.x, a.y / b.y};
  }
  TALLY_SIMT_INLINE friend SmallFloatPair operator-(const SmallFloatPair& a) { return {-a.x, -a.y}; }
  TALLY_SIMT_INLINE friend bool operator==(const SmallFloatPair& a, const SmallFloatPair& b) {
    return a.x == b.x && a.y == b.y;
  }
};

using __half = SmallFloat<HalfFormat>;
using __half2 = SmallFloatPair<__half>;
using __nv_bfloat16 = SmallFloat<Bfloat16Format>;
using __nv_bfloat162 = SmallFloatPair<__nv_bfloat16>;
using half = __half;
using half2 = __half2;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
using bfloat16 = __nv_bfloat16;
using bfloat162 = __nv_bfloat162;
static_assert(std::is_trivially_copyable_v<__half> && sizeof(__half) == 2 && sizeof(__half2) == 4);

// Operations with one name for both formats.
#define TALLY_SIMT_SMALL \
  template <typename F>  \
  TALLY_SIMT_INLINE
TALLY_SIMT_SMALL SmallFloat<F> __hadd(SmallFloat<F> a, SmallFloat<F> b) { return a + b; }
TALLY_SIMT_SMALL SmallFloat<F> __hadd_rn(SmallFloat<F> a, SmallFloat<F> b) { return a + b; }
TALLY_SIMT_SMALL SmallFloat<F> __hsub(SmallFloat<F> a, SmallFloat<F> b) { return a - b; }
TALLY_SIMT_SMALL SmallFloat<F> __hmul(SmallFloat<F> a, SmallFloat<F> b) { return a * b; }
TALLY_SIMT_SMALL SmallFloat<F> __hmul_rn(SmallFloat<F> a, SmallFloat<F> b) { return a * b; }
TALLY_SIMT_SMALL SmallFloat<F> __hdiv(SmallFloat<F> a, SmallFloat<F> b) { return a / b; }
TALLY_SIMT_SMALL SmallFloat<F> __hneg(SmallFloat<F> a) { return -a; }
TALLY_SIMT_SMALL SmallFloat<F> __habs(SmallFloat<F> a) { return SmallFloat<F>::from_bits(a.bits & 0x7fff); }
TALLY_SIMT_SMALL SmallFloat<F> __hfma(SmallFloat<F> a, SmallFloat<F> b, SmallFloat<F> c) {
  return SmallFloat<F>(fused_to_odd(float(a), float(b), float(c)));
}
TALLY_SIMT_SMALL bool __hisnan(SmallFloat<F> a) { return float(a) != float(a); }
TALLY_SIMT_SMALL int __hisinf(SmallFloat<F> a) {
  return float(a) == HUGE_VALF ? 1 : float(a) == -HUGE_VALF ? -1 : 0;
}
/// The larger; of a number and a NaN the number.
TALLY_SIMT_SMALL SmallFloat<F> __hmax(SmallFloat<F> a, SmallFloat<F> b) {
  return __hisnan(a) || float(a) < float(b) ? b : a;
}
TALLY_SIMT_SMALL SmallFloat<F> __hmin(SmallFloat<F> a, SmallFloat<F> b) {
  return __hisnan(a) || float(b) < float(a) ? b : a;
}
TALLY_SIMT_SMALL bool __heq(SmallFloat<F> a, SmallFloat<F> b) { return a == b; }
TALLY_SIMT_SMALL bool __hne(SmallFloat<F> a, SmallFloat<F> b) { return a != b; }
TALLY_SIMT_SMALL bool __hlt(SmallFloat<F> a, SmallFloat<F> b) { return a < b; }
TALLY_SIMT_SMALL bool __hle(SmallFloat<F> a, SmallFloat<F> b) { return a <= b; }
TALLY_SIMT_SMALL bool __hgt(SmallFloat<F> a, SmallFloat<F> b) { return a > b; }
TALLY_SIMT_SMALL bool __hge(SmallFloat<F> a, SmallFloat<F> b) { return a >= b; }

#undef TALLY_SIMT_SMALL
#define TALLY_SIMT_PAIR \
  template <typename E> \
  TALLY_SIMT_INLINE SmallFloatPair<E>
#define TALLY_SIMT_PAIRS const SmallFloatPair<E>&a, const SmallFloatPair<E>&b
TALLY_SIMT_PAIR __hadd2(TALLY_SIMT_PAIRS) { return a + b; }
TALLY_SIMT_PAIR __hsub2(TALLY_SIMT_PAIRS) { return a - b; }
TALLY_SIMT_PAIR __hmul2(TALLY_SIMT_PAIRS) { return a * b; }
TALLY_SIMT_PAIR __h2div(TALLY_SIMT_PAIRS) { return a / b; }
TALLY_SIMT_PAIR __hmax2(TALLY_SIMT_PAIRS) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }
TALLY_SIMT_PAIR __hmin2(TALLY_SIMT_PAIRS) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }
TALLY_SIMT_PAIR __hfma2(TALLY_SIMT_PAIRS, const SmallFloatPair<E>& c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
TALLY_SIMT_PAIR __hneg2(const SmallFloatPair<E>& a) { return -a; }
TALLY_SIMT_PAIR __lowhigh2highlow(const SmallFloatPair<E>& a) { return {a.y, a.x}; }
#undef TALLY_SIMT_PAIR
#undef TALLY_SIMT_PAIRS

// Conversions, whose names carry the format.
TALLY_SIMT_INLINE __half __float2half(float a) { return a; }
TALLY_SIMT_INLINE __half __float2half_rn(float a) { return a; }
TALLY_SIMT_INLINE __half __double2half(double a) { return a; }
TALLY_SIMT_INLINE __half __int2half_rn(int a) { return a; }
TALLY_SIMT_INLINE __half __uint2half_rn(unsigned a) { return a; }
TALLY_SIMT_INLINE float __half2float(__half a) { return a; }
TALLY_SIMT_INLINE int __half2int_rz(__half a) { return static_cast<int>(float(a)); }
TALLY_SIMT_INLINE int __half2int_rn(__half a) { return static_cast<int>(std::nearbyint(float(a))); }
TALLY_SIMT_INLINE __half __ushort_as_half(unsigned short a) { return __half::from_bits(a); }
TALLY_SIMT_INLINE unsigned short __half_as_ushort(__half a) { return a.bits; }
TALLY_SIMT_INLINE __half2 __float2half2_rn(float a) { return {__half(a), __half(a)}; }
TALLY_SIMT_INLINE __half2 __floats2half2_rn(float a, float b) { return {__half(a), __half(b)}; }
TALLY_SIMT_INLINE __half2 __float22half2_rn(float2 a) { return {__half(a.x), __half(a.y)}; }
TALLY_SIMT_INLINE float2 __half22float2(const __half2& a) { return {float(a.x), float(a.y)}; }
TALLY_SIMT_INLINE __half2 __half2half2(__half a) { return {a, a}; }
TALLY_SIMT_INLINE __half2 __halves2half2(__half a, __half b) { return {a, b}; }
TALLY_SIMT_INLINE __half2 make_half2(__half a, __half b) { return {a, b}; }
TALLY_SIMT_INLINE __half __low2half(const __half2& a) { return a.x; }
TALLY_SIMT_INLINE __half __high2half(const __half2& a) { return a.y; }
TALLY_SIMT_INLINE __half2 __low2half2(const __half2& a) { return {a.x, a.x}; }
TALLY_SIMT_INLINE __half2 __high2half2(const __half2& a) { return {a.y, a.y}; }
TALLY_SIMT_INLINE float __low2float(const __half2& a) { return a.x; }
TALLY_SIMT_INLINE float __high2float(const __half2& a) { return a.y; }

TALLY_SIMT_INLINE __nv_bfloat16 __float2bfloat16(float a) { return a; }
TALLY_SIMT_INLINE __nv_bfloat16 __float2bfloat16_rn(float a) { return a; }
TALLY_SIMT_INLINE __nv_bfloat16 __double2bfloat16(double a) { return a; }
TALLY_SIMT_INLINE __nv_bfloat16 __int2bfloat16_rn(int a) { return a; }
TALLY_SIMT_INLINE float __bfloat162float(__nv_bfloat16 a) { return a; }
TALLY_SIMT_INLINE __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16::from_bits(a); }
TALLY_SIMT_INLINE unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.bits; }
TALLY_SIMT_INLINE __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__nv_bfloat16(a), __nv_bfloat16(a)};
}
TALLY_SIMT_INLINE __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
TALLY_SIMT_INLINE __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __floats2bfloat162_rn(a.x, a.y); }
TALLY_SIMT_INLINE float2 __bfloat1622float2(const __nv_bfloat162& a) { return {float(a.x), float(a.y)}; }
TALLY_SIMT_INLINE __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return {a, a}; }
TALLY_SIMT_INLINE __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
TALLY_SIMT_INLINE __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return {a, b}; }
TALLY_SIMT_INLINE __nv_bfloat16 __low2bfloat16(const __nv_bfloat162& a) { return a.x; }
TALLY_SIMT_INLINE __nv_bfloat16 __high2bfloat16(const __nv_bfloat162& a) { return a.y; }
TALLY_SIMT_INLINE float __low2float(const __nv_bfloat162& a) { return a.x; }
TALLY_SIMT_INLINE float __high2float(const __nv_bfloat162& a) { return a.y; }

}  // namespace tally::simt
