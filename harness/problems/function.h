#pragma once

/// TALLY_FUNCTION marks a small function that kernels and host code share. It is always inlined, so that each
/// device's copy of a kernel holds its own and the linker never has to choose between them.
#if defined(__CUDACC__)
#define TALLY_FUNCTION __host__ __device__ __forceinline__
#else
#define TALLY_FUNCTION inline __attribute__((always_inline))
#endif
