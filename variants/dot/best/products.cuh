#pragma once

#include "../../reduce/best/blocks.cuh"
#include "pairs.h"

/// How pairs of elements are multiplied and added up, and how the words of an array are read that lies
/// otherwise than the one beside it.
namespace tally_dot::detail {

using tally_reduce::Answer;
using tally_reduce::Sum;
using tally_reduce::detail::whole_warp;

/// A thread's running sum over pairs of 16-byte words. A word of zeros leaves it as it is.
template <typename T>
struct Products {
  static constexpr int lanes = bytes_of_word / static_cast<int>(sizeof(T));
  T sums[lanes] = {};

  __device__ void take(const uint4& x, const uint4& y) {
    union {
      uint4 word;
      T elements[lanes];
    } left{x}, right{y};
#pragma unroll
    for (int i = 0; i < lanes; ++i) sums[i] += left.elements[i] * right.elements[i];
  }
  __device__ T result() const {
    T all = sums[0];
#pragma unroll
    for (int i = 1; i < lanes; ++i) all += sums[i];
    return all;
  }
};

/// Two-byte elements: their products are exact in float, and so are multiplied and added up there.
template <typename T>
struct ProductsOfPairs {
  float sums[4] = {0, 0, 0, 0};

  template <int First>
  __device__ void take_pair(unsigned x, unsigned y) {
    const float2 left = tally_reduce::detail::floats_of(x, T());
    const float2 right = tally_reduce::detail::floats_of(y, T());
    sums[First] = fmaf(left.x, right.x, sums[First]);
    sums[First + 1] = fmaf(left.y, right.y, sums[First + 1]);
  }
  __device__ void take(const uint4& x, const uint4& y) {
    take_pair<0>(x.x, y.x);
    take_pair<2>(x.y, y.y);
    take_pair<0>(x.z, y.z);
    take_pair<2>(x.w, y.w);
  }
  __device__ float result() const { return (sums[0] + sums[1]) + (sums[2] + sums[3]); }
};
template <>
struct Products<__half> : ProductsOfPairs<__half> {};
template <>
struct Products<__nv_bfloat16> : ProductsOfPairs<__nv_bfloat16> {};

/// The elements before and after the words, at most one pair a thread: fewer than Threads - 16 before them.
template <typename T, int Threads>
__device__ Answer<T> ends_of(const Pairs& pairs) {
  using A = Answer<T>;
  const T* x = static_cast<const T*>(pairs.x.body);
  const T* y = static_cast<const T*>(pairs.y);
  const int thread = static_cast<int>(threadIdx.x);
  const int of_tail = thread - (Threads - 16);
  std::int64_t at = 0;
  if (thread < pairs.x.head) {
    at = -1 - thread;
  } else if (of_tail >= 0 && of_tail < pairs.x.tail) {
    at = pairs.x.words * static_cast<std::int64_t>(bytes_of_word / sizeof(T)) + of_tail;
  } else {
    return A(0);
  }
  return static_cast<A>(x[at]) * static_cast<A>(y[at]);
}

/// Sixteen bytes that begin `shift` bytes into `low` and end in `high`. shift: 0 to 15, the same in all
/// lanes.
__device__ inline uint4 straddling(const uint4& low, const uint4& high, int shift) {
  const bool by_two = (shift & 8) != 0;
  const bool by_one = (shift & 4) != 0;
  const unsigned bits = 8u * static_cast<unsigned>(shift & 3);
  const unsigned a = by_two ? low.z : low.x;
  const unsigned b = by_two ? low.w : low.y;
  const unsigned c = by_two ? high.x : low.z;
  const unsigned d = by_two ? high.y : low.w;
  const unsigned e = by_two ? high.z : high.x;
  const unsigned f = by_two ? high.w : high.y;
  const unsigned p = by_one ? b : a;
  const unsigned q = by_one ? c : b;
  const unsigned r = by_one ? d : c;
  const unsigned s = by_one ? e : d;
  const unsigned t = by_one ? f : e;
  return {__funnelshift_r(p, q, bits), __funnelshift_r(q, r, bits), __funnelshift_r(r, s, bits),
          __funnelshift_r(s, t, bits)};
}

/// The same word of the next lane; in the last lane lane 0's of `wrapped`.
__device__ inline uint4 of_next_lane(const uint4& own, const uint4& wrapped) {
  const bool first = threadIdx.x % 32 == 0;
  const int next = (static_cast<int>(threadIdx.x) + 1) % 32;
  return {__shfl_sync(whole_warp, first ? wrapped.x : own.x, next),
          __shfl_sync(whole_warp, first ? wrapped.y : own.y, next),
          __shfl_sync(whole_warp, first ? wrapped.z : own.z, next),
          __shfl_sync(whole_warp, first ? wrapped.w : own.w, next)};
}

}  // namespace tally_dot::detail
