/// \file
/// CUDA's vector and index types for the CPU executor.
///
/// Each vector type has CUDA's members, size and alignment. Copying one moves all of its bytes in ONE access,
/// as one LDG.64 or LDG.128 does on a GPU; a member (`p[i].x`) is an access of that member alone. A struct of
/// the compiler's own copying would be split into one access a member, and a compiler vector would read and
/// write its neighbours where only one member is meant, so the copy is spelled out here.
#pragma once

#include <cstddef>
#include <cstdint>

#define TALLY_SIMT_INLINE inline __attribute__((always_inline))

/// After a call of the executor: keeps the call from being the last thing a function does, since a tail call
/// would leave nothing that says where it came from.
#define TALLY_SIMT_STAY __asm__ volatile("")

// What stands for one instruction of a GPU, or for none: its branches and accesses are not a kernel's.
#if defined(__clang__)
#define TALLY_SIMT_NOT_COUNTED __attribute__((no_sanitize("coverage"), noinline))
#else
#define TALLY_SIMT_NOT_COUNTED __attribute__((noinline))
#endif

// The executor knows by its return address where it was called; a tail call would leave none. (g++ makes none
// at -O1.)
#if defined(__clang__)
#define TALLY_SIMT_RETURNS_HERE __attribute__((not_tail_called))
#else
#define TALLY_SIMT_RETURNS_HERE
#endif

namespace tally::simt {

/// Extents of a grid or a block; members left out are 1, as in CUDA.
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct uint3 {
  unsigned x, y, z;
  constexpr operator dim3() const { return dim3(x, y, z); }
};

/// The compiler vector with the size of a whole CUDA vector: what one access moves.
template <typename T, int N>
struct WholeVector {
  typedef T type __attribute__((vector_size(sizeof(T) * N), may_alias));
};

// The constraint of a vector register.
#if defined(__x86_64__)
#define TALLY_SIMT_VECTOR_REGISTER "x"
#elif defined(__aarch64__)
#define TALLY_SIMT_VECTOR_REGISTER "w"
#endif

template <typename T, int N>
TALLY_SIMT_INLINE void copy_whole(void* to, const void* from) {
  using Whole = typename WholeVector<T, N>::type;
  Whole whole = *static_cast<const Whole*>(from);
#if defined(TALLY_SIMT_VECTOR_REGISTER)
  // Pieces of 16 bytes may end up in integers, which have 8 on a CPU: the optimiser would load these one by
  // one.
  if constexpr (sizeof(Whole) == 16) __asm__("" : "+" TALLY_SIMT_VECTOR_REGISTER(whole));
#endif
  *static_cast<Whole*>(to) = whole;
}

#undef TALLY_SIMT_VECTOR_REGISTER

#define TALLY_SIMT_VECTOR_COPY(Name, T, N)                                                     \
  Name() = default;                                                                            \
  TALLY_SIMT_INLINE Name(const Name& other) { ::tally::simt::copy_whole<T, N>(this, &other); } \
  TALLY_SIMT_INLINE Name& operator=(const Name& other) {                                       \
    ::tally::simt::copy_whole<T, N>(this, &other);                                             \
    return *this;                                                                              \
  }

#define TALLY_SIMT_VECTORS(base, T)                                     \
  struct base##1 {                                                      \
    T x;                                                                \
  };                                                                    \
  struct alignas(2 * sizeof(T)) base##2 {                               \
    T x, y;                                                             \
    TALLY_SIMT_VECTOR_COPY(base##2, T, 2)                               \
    TALLY_SIMT_INLINE constexpr base##2(T x_, T y_) : x(x_), y(y_) {}   \
  };                                                                    \
  TALLY_SIMT_INLINE base##1 make_##base##1(T x) { return base##1 {x}; } \
  TALLY_SIMT_INLINE base##2 make_##base##2(T x, T y) { return base##2(x, y); }

#define TALLY_SIMT_VECTORS_OF_FOUR(base, T)                                                     \
  TALLY_SIMT_VECTORS(base, T)                                                                   \
  struct base##3 {                                                                              \
    T x, y, z;                                                                                  \
  };                                                                                            \
  struct alignas(4 * sizeof(T)) base##4 {                                                       \
    T x, y, z, w;                                                                               \
    TALLY_SIMT_VECTOR_COPY(base##4, T, 4)                                                       \
    TALLY_SIMT_INLINE constexpr base##4(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {} \
  };                                                                                            \
  TALLY_SIMT_INLINE base##3 make_##base##3(T x, T y, T z) { return base##3 {x, y, z}; }         \
  TALLY_SIMT_INLINE base##4 make_##base##4(T x, T y, T z, T w) { return base##4(x, y, z, w); }

TALLY_SIMT_VECTORS_OF_FOUR(char, signed char)
TALLY_SIMT_VECTORS_OF_FOUR(uchar, unsigned char)
TALLY_SIMT_VECTORS_OF_FOUR(short, short)
TALLY_SIMT_VECTORS_OF_FOUR(ushort, unsigned short)
TALLY_SIMT_VECTORS_OF_FOUR(int, int)
TALLY_SIMT_VECTORS_OF_FOUR(float, float)
TALLY_SIMT_VECTORS(long, long)
TALLY_SIMT_VECTORS(ulong, unsigned long)
TALLY_SIMT_VECTORS(longlong, long long)
TALLY_SIMT_VECTORS(ulonglong, unsigned long long)
TALLY_SIMT_VECTORS(double, double)

// uint3 is the index type above, so the unsigned family is written out without it.
TALLY_SIMT_VECTORS(uint, unsigned)
struct alignas(16) uint4 {
  unsigned x, y, z, w;
  TALLY_SIMT_VECTOR_COPY(uint4, unsigned, 4)
  TALLY_SIMT_INLINE constexpr uint4(unsigned x_, unsigned y_, unsigned z_, unsigned w_)
      : x(x_), y(y_), z(z_), w(w_) {}
};
TALLY_SIMT_INLINE uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return uint3{x, y, z}; }
TALLY_SIMT_INLINE uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return uint4(x, y, z, w);
}

#undef TALLY_SIMT_VECTORS
#undef TALLY_SIMT_VECTORS_OF_FOUR

}  // namespace tally::simt
