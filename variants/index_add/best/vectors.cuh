#pragma once

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

#include <cstdint>
#include <cstring>
#include <type_traits>

/// Vectors of elements: loads, and additions to memory. CUDA C++ that every GPU runs, and the CPU executor of
/// the harness; on a Hopper GPU sixteen bytes are added in one instruction.
namespace tally_index_add {
namespace {  // compiled for more than one kind of device

/// What sums are kept in: float for two-byte types.
template <typename T>
using Accumulator = std::conditional_t<sizeof(T) == 2, float, T>;

template <int Bytes>
using WordOf = std::conditional_t<
    Bytes == 16, uint4,
    std::conditional_t<Bytes == 8, uint2, std::conditional_t<Bytes == 4, unsigned, unsigned short>>>;

/// Vector elements as they lie in memory.
template <typename T, int Vector>
struct Elements {
  using Word = WordOf<static_cast<int>(sizeof(T)) * Vector>;
  Word word;

  /// Read once and not again: it need not stay in the caches.
  __device__ void load(const T* from) { word = __ldcs(reinterpret_cast<const Word*>(from)); }
};

template <typename T, int Vector>
struct Sums {
  Accumulator<T> of[Vector];

  __device__ void clear() {
#pragma unroll
    for (int k = 0; k < Vector; ++k) of[k] = 0;
  }
  __device__ void add(const Elements<T, Vector>& elements, Accumulator<T> alpha) {
    T parts[Vector];
    memcpy(static_cast<void*>(parts), &elements.word, sizeof elements.word);
#pragma unroll
    for (int k = 0; k < Vector; ++k) of[k] += alpha * static_cast<Accumulator<T>>(parts[k]);
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ inline void add_atomically(float* to, const Sums<float, 4>& sums) {
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(sums.of[0]),
               "f"(sums.of[1]), "f"(sums.of[2]), "f"(sums.of[3])
               : "memory");
}
__device__ inline void add_atomically(float* to, const Sums<float, 2>& sums) {
  asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(sums.of[0]), "f"(sums.of[1])
               : "memory");
}
__device__ inline unsigned pair_of(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const unsigned*>(&pair);
}
__device__ inline void add_atomically(__half* to, const Sums<__half, 8>& sums) {
  asm volatile("red.relaxed.gpu.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(to),
               "r"(pair_of(sums.of[0], sums.of[1])), "r"(pair_of(sums.of[2], sums.of[3])),
               "r"(pair_of(sums.of[4], sums.of[5])), "r"(pair_of(sums.of[6], sums.of[7]))
               : "memory");
}
__device__ inline void add_atomically(__half* to, const Sums<__half, 4>& sums) {
  asm volatile("red.relaxed.gpu.global.add.noftz.v2.f16x2 [%0], {%1, %2};" ::"l"(to),
               "r"(pair_of(sums.of[0], sums.of[1])), "r"(pair_of(sums.of[2], sums.of[3]))
               : "memory");
}
#endif

/// to[k] += sums.of[k], whoever else adds there.
template <typename T, int Vector>
__device__ void add_atomically(T* to, const Sums<T, Vector>& sums) {
  if constexpr (sizeof(T) == 2 && Vector > 1) {
#pragma unroll
    for (int k = 0; k < Vector; k += 2) {
      atomicAdd(reinterpret_cast<half2*>(to + k), __floats2half2_rn(sums.of[k], sums.of[k + 1]));
    }
  } else {
#pragma unroll
    for (int k = 0; k < Vector; ++k) atomicAdd(to + k, static_cast<T>(sums.of[k]));
  }
}

}  // namespace
}  // namespace tally_index_add
