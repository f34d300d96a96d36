#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "spans.h"

/// How elements are combined: the operations, and the registers in which a thread gathers 16-byte words.
namespace tally_reduce {

/// What a reduction of T adds up in, and answers in: float for __half and __nv_bfloat16, int32 for int8.
template <typename T>
using Answer = std::conditional_t<sizeof(T) == 2, float, std::conditional_t<sizeof(T) == 1, std::int32_t, T>>;

/// What every operation has, unless it says otherwise: an element goes in as it is, and the result comes out
/// so.
struct Plain {
  static constexpr bool divides = false;
  template <typename A>
  __device__ static A term(A element) {
    return element;
  }
};

struct Sum : Plain {
  template <typename A>
  __host__ __device__ static constexpr A identity() {
    return A(0);
  }
  template <typename A>
  __device__ static A combine(A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      using Bits = std::make_unsigned_t<A>;  // signed overflow wraps
      return static_cast<A>(static_cast<Bits>(a) + static_cast<Bits>(b));
    } else {
      return a + b;
    }
  }
};

/// NaNs are left out, as `b < a ? b : a` from +infinity on leaves them out.
struct Min : Plain {
  template <typename A>
  __host__ __device__ static constexpr A identity() {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::max();
  }
  template <typename A>
  __device__ static A combine(A a, A b) {
    return b < a ? b : a;
  }
};

struct Max : Plain {
  template <typename A>
  __host__ __device__ static constexpr A identity() {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  template <typename A>
  __device__ static A combine(A a, A b) {
    return a < b ? b : a;
  }
};

/// A sum whose last step divides by n.
struct Mean : Sum {
  static constexpr bool divides = true;
};

/// A sum of squares, of types that are their own Answer; integers wrap.
struct SumOfSquares : Sum {
  template <typename A>
  __device__ static A term(A element) {
    if constexpr (std::is_integral_v<A>) {
      using Bits = std::make_unsigned_t<A>;
      return static_cast<A>(static_cast<Bits>(element) * static_cast<Bits>(element));
    } else {
      return element * element;
    }
  }
};

namespace detail {

/// The smaller (larger) of each of two signed 16-bit halves.
template <typename Op>
__device__ inline unsigned pick_int16x2(unsigned a, unsigned b) {
  unsigned picked = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<Op, Min>) {
    asm("min.s16x2 %0, %1, %2;" : "=r"(picked) : "r"(a), "r"(b));
  } else {
    asm("max.s16x2 %0, %1, %2;" : "=r"(picked) : "r"(a), "r"(b));
  }
#else
  picked = std::is_same_v<Op, Min> ? __vmins2(a, b) : __vmaxs2(a, b);
#endif
  return picked;
}

/// A thread's running result over 16-byte words. The general one keeps an accumulator for each element of a
/// word: T is its own Answer. A word of identities, neutral(), leaves it as it is.
template <typename T, typename Op>
struct Gathered {
  static constexpr int lanes = bytes_of_word / static_cast<int>(sizeof(T));
  T sums[lanes];

  __device__ Gathered() {
#pragma unroll
    for (T& sum : sums) sum = Op::template identity<T>();
  }
  __device__ static uint4 neutral() {
    union {
      T elements[lanes];
      uint4 word;
    } filled;
#pragma unroll
    for (T& element : filled.elements) element = Op::template identity<T>();
    return filled.word;
  }
  __device__ void take(const uint4& word) {
    union {
      uint4 word;
      T elements[lanes];
    } given{word};
#pragma unroll
    for (int i = 0; i < lanes; ++i) sums[i] = Op::combine(sums[i], Op::term(given.elements[i]));
  }
  __device__ T result() const {
    T all = sums[0];
#pragma unroll
    for (int i = 1; i < lanes; ++i) all = Op::combine(all, sums[i]);
    return all;
  }
};

__device__ inline float2 floats_of(unsigned pair, __half) {
  return __half22float2(*reinterpret_cast<const __half2*>(&pair));
}
/// A bfloat16 is the upper half of a float.
__device__ inline float2 floats_of(unsigned pair, __nv_bfloat16) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u)};
}

/// Sums of two-byte elements: float accumulators.
template <typename T>
struct GatheredPairSums {
  float sums[4] = {0, 0, 0, 0};

  __device__ static uint4 neutral() { return {0, 0, 0, 0}; }
  __device__ void take(const uint4& word) {
    const float2 a = floats_of(word.x, T());
    const float2 b = floats_of(word.y, T());
    const float2 c = floats_of(word.z, T());
    const float2 d = floats_of(word.w, T());
    sums[0] += a.x;
    sums[1] += a.y;
    sums[2] += b.x;
    sums[3] += b.y;
    sums[0] += c.x;
    sums[1] += c.y;
    sums[2] += d.x;
    sums[3] += d.y;
  }
  __device__ float result() const { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }
};
template <>
struct Gathered<__half, Sum> : GatheredPairSums<__half> {};
template <>
struct Gathered<__half, Mean> : GatheredPairSums<__half> {};
template <>
struct Gathered<__nv_bfloat16, Sum> : GatheredPairSums<__nv_bfloat16> {};
template <>
struct Gathered<__nv_bfloat16, Mean> : GatheredPairSums<__nv_bfloat16> {};

/// Minima and maxima of two-byte elements are exact in their own type, two an instruction.
template <typename T, typename Pair, typename Op>
struct GatheredPairExtremes {
  static constexpr bool is_min = std::is_same_v<Op, Min>;
  static constexpr unsigned infinity = sizeof(T) == 2 && std::is_same_v<T, __half> ? 0x7c00u : 0x7f80u;
  static constexpr unsigned identity = (is_min ? infinity : infinity | 0x8000u) * 0x10001u;
  unsigned picked[2] = {identity, identity};

  __device__ static uint4 neutral() { return {identity, identity, identity, identity}; }
  __device__ static unsigned pick(unsigned a, unsigned b) {
    const Pair left = *reinterpret_cast<const Pair*>(&a);
    const Pair right = *reinterpret_cast<const Pair*>(&b);
    const Pair both = is_min ? __hmin2(left, right) : __hmax2(left, right);
    return *reinterpret_cast<const unsigned*>(&both);
  }
  __device__ void take(const uint4& word) {
    picked[0] = pick(picked[0], word.x);
    picked[1] = pick(picked[1], word.y);
    picked[0] = pick(picked[0], word.z);
    picked[1] = pick(picked[1], word.w);
  }
  __device__ float result() const {
    const float2 last = floats_of(pick(picked[0], picked[1]), T());
    return Op::combine(last.x, last.y);
  }
};
template <typename Op>
struct Gathered<__half, Op> : GatheredPairExtremes<__half, __half2, Op> {};
template <typename Op>
struct Gathered<__nv_bfloat16, Op> : GatheredPairExtremes<__nv_bfloat16, __nv_bfloat162, Op> {};

/// Sums of int8: four products with 1 and their addition are one instruction.
template <>
struct Gathered<std::int8_t, Sum> {
  std::int32_t sums[2] = {0, 0};

  __device__ static uint4 neutral() { return {0, 0, 0, 0}; }
  __device__ void take(const uint4& word) {
    constexpr int ones = 0x01010101;
    sums[0] = __dp4a(static_cast<int>(word.x), ones, sums[0]);
    sums[1] = __dp4a(static_cast<int>(word.y), ones, sums[1]);
    sums[0] = __dp4a(static_cast<int>(word.z), ones, sums[0]);
    sums[1] = __dp4a(static_cast<int>(word.w), ones, sums[1]);
  }
  __device__ std::int32_t result() const { return Sum::combine(sums[0], sums[1]); }
};

template <>
struct Gathered<std::int8_t, Mean> : Gathered<std::int8_t, Sum> {};

/// Minima and maxima of int8, as of 16-bit halves: the upper byte of a half decides, and what its lower byte
/// is does not matter. One pass for the odd bytes, one, shifted up, for the even ones.
template <typename Op>
struct Gathered<std::int8_t, Op> {
  static constexpr unsigned identity = std::is_same_v<Op, Min> ? 0x7f7f7f7fu : 0x80808080u;
  unsigned odd = identity;
  unsigned even = identity;

  __device__ static uint4 neutral() { return {identity, identity, identity, identity}; }
  __device__ void take_four(unsigned bytes) {
    odd = pick_int16x2<Op>(odd, bytes);
    even = pick_int16x2<Op>(even, bytes << 8);
  }
  __device__ void take(const uint4& word) {
    take_four(word.x);
    take_four(word.y);
    take_four(word.z);
    take_four(word.w);
  }
  __device__ std::int32_t result() const {
    const unsigned last = pick_int16x2<Op>(odd, even);
    return Op::combine(static_cast<std::int32_t>(last) >> 24, static_cast<std::int32_t>(last << 16) >> 24);
  }
};

/// The elements before and after the words, at most one a thread: fewer than Threads - 16 before them. To be
/// asked for before the words, so that they arrive with them.
template <typename T, typename Op, int Threads>
__device__ Answer<T> ends_of(const Spans& spans) {
  using A = Answer<T>;
  const T* body = static_cast<const T*>(spans.body);
  const int thread = static_cast<int>(threadIdx.x);
  const int of_tail = thread - (Threads - 16);
  A end = Op::template identity<A>();
  if (thread < spans.head) {
    end = Op::term(static_cast<A>(body[-1 - thread]));
  } else if (of_tail >= 0 && of_tail < spans.tail) {
    end = Op::term(
        static_cast<A>(body[spans.words * static_cast<std::int64_t>(bytes_of_word / sizeof(T)) + of_tail]));
  }
  return end;
}

}  // namespace detail
}  // namespace tally_reduce
