/// \file
/// What a kernel source sees when it is compiled for the CPU executor: CUDA's keywords, built-in variables,
/// types and functions. Included by the device layer's launch.h when TALLY_SIMT is defined, never by the
/// executor. Kernels must be in anonymous namespaces: the same source may also be in the program as compiled
/// by nvcc.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <ctime>

#include "harness/device/simt/executor.h"
#include "harness/device/simt/intrinsics.h"

#if defined(__clang__)
#define __global__ __attribute__((section(TALLY_SIMT_KERNEL_SECTION)))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __constant__
#define __grid_constant__
#define __align__(bytes) alignas(bytes)

// One copy a worker: a worker runs one block at a time, and all its lanes. Sixteen bytes are the least
// alignment of an array in a GPU's shared memory that any vector access may rely on.
#define __shared__ static thread_local __attribute__((aligned(16)))

#define threadIdx (::tally::simt::thread_index())
#define blockIdx (::tally::simt::block_index())
#define blockDim (::tally::simt::block_extent())
#define gridDim (::tally::simt::grid_extent())
#define warpSize 32

#if !defined(NDEBUG)
#undef assert
#define assert(condition) \
  ((condition) ? static_cast<void>(0) : ::tally::simt::assertion_failed(#condition, __FILE__, __LINE__))
#endif

namespace tally::simt {

/// The block's dynamic shared memory: `shared_bytes` of the launch, not initialised, aligned to 1024 bytes.
template <typename T>
TALLY_SIMT_INLINE T* dynamic_shared() {
  return static_cast<T*>(dynamic_shared_memory());
}

}  // namespace tally::simt

// NOLINTBEGIN(misc-unused-using-decls)
#define TALLY_SIMT_USE_FAMILY(base)  \
  using tally::simt::base##1;        \
  using tally::simt::base##2;        \
  using tally::simt::make_##base##1; \
  using tally::simt::make_##base##2;
#define TALLY_SIMT_USE_FAMILY_OF_FOUR(base) \
  TALLY_SIMT_USE_FAMILY(base)               \
  using tally::simt::base##3;               \
  using tally::simt::base##4;               \
  using tally::simt::make_##base##3;        \
  using tally::simt::make_##base##4;
TALLY_SIMT_USE_FAMILY_OF_FOUR(char)
TALLY_SIMT_USE_FAMILY_OF_FOUR(uchar)
TALLY_SIMT_USE_FAMILY_OF_FOUR(short)
TALLY_SIMT_USE_FAMILY_OF_FOUR(ushort)
TALLY_SIMT_USE_FAMILY_OF_FOUR(int)
TALLY_SIMT_USE_FAMILY_OF_FOUR(uint)
TALLY_SIMT_USE_FAMILY_OF_FOUR(float)
TALLY_SIMT_USE_FAMILY(long)
TALLY_SIMT_USE_FAMILY(ulong)
TALLY_SIMT_USE_FAMILY(longlong)
TALLY_SIMT_USE_FAMILY(ulonglong)
TALLY_SIMT_USE_FAMILY(double)
#undef TALLY_SIMT_USE_FAMILY
#undef TALLY_SIMT_USE_FAMILY_OF_FOUR

using tally::simt::__activemask;
using tally::simt::__all_sync;
using tally::simt::__any_sync;
using tally::simt::__ballot_sync;
using tally::simt::__bfloat1622float2;
using tally::simt::__bfloat162bfloat162;
using tally::simt::__bfloat162float;
using tally::simt::__bfloat16_as_ushort;
using tally::simt::__brev;
using tally::simt::__brevll;
using tally::simt::__clz;
using tally::simt::__clzll;
using tally::simt::__dadd_rn;
using tally::simt::__dmul_rn;
using tally::simt::__double2bfloat16;
using tally::simt::__double2half;
using tally::simt::__double_as_longlong;
using tally::simt::__fadd_rn;
using tally::simt::__fdiv_rn;
using tally::simt::__fdividef;
using tally::simt::__ffs;
using tally::simt::__ffsll;
using tally::simt::__float22bfloat162_rn;
using tally::simt::__float22half2_rn;
using tally::simt::__float2bfloat16;
using tally::simt::__float2bfloat162_rn;
using tally::simt::__float2bfloat16_rn;
using tally::simt::__float2half;
using tally::simt::__float2half2_rn;
using tally::simt::__float2half_rn;
using tally::simt::__float_as_int;
using tally::simt::__float_as_uint;
using tally::simt::__floats2bfloat162_rn;
using tally::simt::__floats2half2_rn;
using tally::simt::__fma_rn;
using tally::simt::__fmaf_rn;
using tally::simt::__fmul_rn;
using tally::simt::__fsqrt_rn;
using tally::simt::__fsub_rn;
using tally::simt::__h2div;
using tally::simt::__habs;
using tally::simt::__hadd;
using tally::simt::__hadd2;
using tally::simt::__hadd_rn;
using tally::simt::__half;
using tally::simt::__half2;
using tally::simt::__half22float2;
using tally::simt::__half2float;
using tally::simt::__half2half2;
using tally::simt::__half2int_rn;
using tally::simt::__half2int_rz;
using tally::simt::__half_as_ushort;
using tally::simt::__halves2bfloat162;
using tally::simt::__halves2half2;
using tally::simt::__hdiv;
using tally::simt::__heq;
using tally::simt::__hfma;
using tally::simt::__hfma2;
using tally::simt::__hge;
using tally::simt::__hgt;
using tally::simt::__high2bfloat16;
using tally::simt::__high2float;
using tally::simt::__high2half;
using tally::simt::__high2half2;
using tally::simt::__hisinf;
using tally::simt::__hisnan;
using tally::simt::__hle;
using tally::simt::__hlt;
using tally::simt::__hmax;
using tally::simt::__hmax2;
using tally::simt::__hmin;
using tally::simt::__hmin2;
using tally::simt::__hmul;
using tally::simt::__hmul2;
using tally::simt::__hmul_rn;
using tally::simt::__hne;
using tally::simt::__hneg;
using tally::simt::__hneg2;
using tally::simt::__hsub;
using tally::simt::__hsub2;
using tally::simt::__int2bfloat16_rn;
using tally::simt::__int2half_rn;
using tally::simt::__int_as_float;
using tally::simt::__ldca;
using tally::simt::__ldcg;
using tally::simt::__ldcs;
using tally::simt::__ldcv;
using tally::simt::__ldg;
using tally::simt::__ldlu;
using tally::simt::__longlong_as_double;
using tally::simt::__low2bfloat16;
using tally::simt::__low2float;
using tally::simt::__low2half;
using tally::simt::__low2half2;
using tally::simt::__lowhigh2highlow;
using tally::simt::__match_any_sync;
using tally::simt::__mulhi;
using tally::simt::__nanosleep;
using tally::simt::__nv_bfloat16;
using tally::simt::__nv_bfloat162;
using tally::simt::__popc;
using tally::simt::__popcll;
using tally::simt::__reduce_add_sync;
using tally::simt::__reduce_and_sync;
using tally::simt::__reduce_max_sync;
using tally::simt::__reduce_min_sync;
using tally::simt::__reduce_or_sync;
using tally::simt::__reduce_xor_sync;
using tally::simt::__saturatef;
using tally::simt::__shfl_down_sync;
using tally::simt::__shfl_sync;
using tally::simt::__shfl_up_sync;
using tally::simt::__shfl_xor_sync;
using tally::simt::__stcg;
using tally::simt::__stcs;
using tally::simt::__stwb;
using tally::simt::__stwt;
using tally::simt::__syncthreads;
using tally::simt::__syncthreads_and;
using tally::simt::__syncthreads_count;
using tally::simt::__syncthreads_or;
using tally::simt::__syncwarp;
using tally::simt::__threadfence;
using tally::simt::__threadfence_block;
using tally::simt::__threadfence_system;
using tally::simt::__trap;
using tally::simt::__uint2half_rn;
using tally::simt::__uint_as_float;
using tally::simt::__umul64hi;
using tally::simt::__umulhi;
using tally::simt::__ushort_as_bfloat16;
using tally::simt::__ushort_as_half;
using tally::simt::atomicAdd;
using tally::simt::atomicAnd;
using tally::simt::atomicCAS;
using tally::simt::atomicDec;
using tally::simt::atomicExch;
using tally::simt::atomicInc;
using tally::simt::atomicMax;
using tally::simt::atomicMin;
using tally::simt::atomicOr;
using tally::simt::atomicSub;
using tally::simt::atomicXor;
using tally::simt::clock64;
using tally::simt::dim3;
using tally::simt::half;
using tally::simt::half2;
using tally::simt::make_bfloat162;
using tally::simt::make_half2;
using tally::simt::max;
using tally::simt::min;
using tally::simt::nv_bfloat16;
using tally::simt::nv_bfloat162;
using tally::simt::rsqrtf;
using tally::simt::sincospi;
// NOLINTEND(misc-unused-using-decls)
