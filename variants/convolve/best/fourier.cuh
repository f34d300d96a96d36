#pragma once

#include "plan.h"
#include "words.cuh"

/// A Fourier transform of 4,096 complex elements by a block of 256 threads, and back: 16 · 16 · 16, sixteen
/// elements a thread. There, elements come in order and frequencies leave in the order in which the last step
/// makes them; the way back takes them so, and nothing is ever sorted.
///
/// Element 256·j + thread is a thread's j-th. The first exchange, between steps 1 and 2, is of the whole
/// block; the second only within sixteen threads, for which a barrier of the warp does.
namespace tally_convolve::detail {

template <typename T>
using Complex = std::conditional_t<sizeof(T) == 4, float2, double2>;

inline constexpr int radix = 16;
static_assert(radix * radix * radix == length && threads_of_transform * radix == length);

template <typename C>
__device__ __forceinline__ C plus(C a, C b) {
  return {a.x + b.x, a.y + b.y};
}
template <typename C>
__device__ __forceinline__ C minus(C a, C b) {
  return {a.x - b.x, a.y - b.y};
}
template <typename C>
__device__ __forceinline__ C times(C a, C b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
/// a · factor, or on the way back a · its conjugate.
template <bool back, typename C>
__device__ __forceinline__ C turned(C a, C factor) {
  if constexpr (back) return {a.x * factor.x + a.y * factor.y, a.y * factor.x - a.x * factor.y};
  return times(a, factor);
}

/// exp(-2πi · k / of), of a power of two.
template <typename T>
__device__ __forceinline__ Complex<T> root(int k, int of) {
  Complex<T> value;
  sincospi(T(-2 * k) / T(of), &value.y, &value.x);
  return value;
}

template <bool back, typename C>
__device__ __forceinline__ void transform_4(C& x0, C& x1, C& x2, C& x3) {
  const C even = plus(x0, x2), odd = plus(x1, x3);
  const C across = minus(x0, x2), down = minus(x1, x3);
  const C one = {across.x + down.y, across.y - down.x};
  const C three = {across.x - down.y, across.y + down.x};
  x0 = plus(even, odd);
  x1 = back ? three : one;
  x2 = minus(even, odd);
  x3 = back ? one : three;
}

/// x · exp(-2πi · k / 16), or back; k is known when this is compiled.
template <bool back, typename T>
__device__ __forceinline__ Complex<T> turned_sixteenths(Complex<T> x, int k) {
  constexpr T cosine = T(0.923879532511286756), sine = T(0.382683432365089772);
  constexpr T diagonal = T(0.707106781186547524);
  const T sign = back ? T(-1) : T(1);
  switch (k) {
    case 1:
      return turned<back>(x, Complex<T>{cosine, -sine});
    case 2:
      return {diagonal * (x.x + sign * x.y), diagonal * (x.y - sign * x.x)};
    case 3:
      return turned<back>(x, Complex<T>{sine, -cosine});
    case 4:
      return {sign * x.y, -sign * x.x};
    case 6:
      return {diagonal * (sign * x.y - x.x), -diagonal * (x.y + sign * x.x)};
    case 9:
      return turned<back>(x, Complex<T>{-cosine, sine});
    default:
      return x;
  }
}

/// Of the sixteen elements of one thread, in order both ways.
template <bool back, typename T>
__device__ __forceinline__ void transform_16(Complex<T> (&x)[radix]) {
  Complex<T> y[radix];
#pragma unroll
  for (int i = 0; i < 4; ++i) transform_4<back>(x[i], x[i + 4], x[i + 8], x[i + 12]);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
#pragma unroll
    for (int i = 0; i < 4; ++i) y[4 * k + i] = turned_sixteenths<back, T>(x[4 * k + i], i * k);
    transform_4<back>(y[4 * k], y[4 * k + 1], y[4 * k + 2], y[4 * k + 3]);
  }
#pragma unroll
  for (int k = 0; k < radix; ++k) x[k] = y[4 * (k % 4) + k / 4];
}

/// The transform as one thread sees it.
template <typename T>
class Transform {
 public:
  /// A complex float, or half a complex double: what is exchanged at once.
  using Cell = std::conditional_t<sizeof(T) == 4, float2, double>;
  /// Sixteen regions of 16 · 17: no two threads of half a warp meet in a bank, neither across nor along.
  static constexpr int region = 16 * 17;
  static constexpr int cells = 16 * region;

  __device__ explicit Transform(Cell* shared)
      : shared_(shared),
        thread_(static_cast<int>(threadIdx.x)),
        region_(thread_ / 16 * region),
        column_(thread_ % 16),
        outer_{root<T>(thread_, length), root<T>(4 * thread_, length)},
        inner_{root<T>(column_, 256), root<T>(4 * column_, 256)} {}

  __device__ void there(Complex<T> (&x)[radix]) const {
    transform_16<false, T>(x);
    turn_by_powers<false>(x, outer_);
    exchange<Barrier::block, Barrier::block>(
        x, [this](int j) { return j * region + thread_; },
        [this](int j) { return region_ + 16 * j + column_; });
    transform_16<false, T>(x);
    turn_by_powers<false>(x, inner_);
    exchange<Barrier::warp, Barrier::warp>(
        x, [this](int j) { return region_ + 17 * j + column_; },
        [this](int j) { return region_ + 17 * column_ + j; });
    transform_16<false, T>(x);
  }

  /// Of frequencies as there() leaves them; the result is `length` times too large.
  __device__ void back(Complex<T> (&x)[radix]) const {
    transform_16<true, T>(x);
    turn_by_powers<true>(x, inner_);
    exchange<Barrier::warp, Barrier::warp>(
        x, [this](int j) { return region_ + 17 * column_ + j; },
        [this](int j) { return region_ + 17 * j + column_; });
    transform_16<true, T>(x);
    exchange<Barrier::warp, Barrier::block>(
        x, [this](int j) { return region_ + 16 * j + column_; },
        [this](int j) { return j * region + thread_; });
    turn_by_powers<true>(x, outer_);
    transform_16<true, T>(x);
  }

 private:
  enum class Barrier { warp, block };
  struct Base {
    Complex<T> first, fourth;  // a root and its fourth power, each as good as the type can hold it
  };

  template <Barrier barrier>
  __device__ static void wait() {
    if constexpr (barrier == Barrier::warp) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// x[j] · base^j.
  template <bool back>
  __device__ static void turn_by_powers(Complex<T> (&x)[radix], const Base& base) {
    Complex<T> powers[4];
    powers[1] = base.first;
    powers[2] = times(base.first, base.first);
    powers[3] = times(powers[2], base.first);
    Complex<T> row = base.fourth;
#pragma unroll
    for (int k = 1; k < 4; ++k) x[k] = turned<back>(x[k], powers[k]);
#pragma unroll
    for (int j = 4; j < radix; j += 4) {
      x[j] = turned<back>(x[j], row);
#pragma unroll
      for (int k = 1; k < 4; ++k) x[j + k] = turned<back>(x[j + k], times(row, powers[k]));
      if (j < radix - 4) row = times(row, base.fourth);
    }
  }

  /// `before`: who may still read what is written over; `between`: who reads what is written.
  template <Barrier before, Barrier between, typename Writes, typename Reads>
  __device__ void exchange(Complex<T> (&x)[radix], Writes writes, Reads reads) const {
    wait<before>();
    if constexpr (sizeof(T) == 4) {
#pragma unroll
      for (int j = 0; j < radix; ++j) shared_[writes(j)] = x[j];
      wait<between>();
#pragma unroll
      for (int j = 0; j < radix; ++j) x[j] = shared_[reads(j)];
    } else {
#pragma unroll
      for (int j = 0; j < radix; ++j) shared_[writes(j)] = x[j].x;
      wait<between>();
#pragma unroll
      for (int j = 0; j < radix; ++j) x[j].x = shared_[reads(j)];
      wait<between>();
#pragma unroll
      for (int j = 0; j < radix; ++j) shared_[writes(j)] = x[j].y;
      wait<between>();
#pragma unroll
      for (int j = 0; j < radix; ++j) x[j].y = shared_[reads(j)];
    }
  }

  Cell* shared_;
  int thread_;
  int region_;
  int column_;
  Base outer_;
  Base inner_;
};

}  // namespace tally_convolve::detail
