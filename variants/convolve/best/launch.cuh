#pragma once

/// What a kernel says in a programmatic launch. Launched in any other way, and on the CPU executor, it has
/// nothing to wait for.
namespace tally_convolve::detail {

/// Until the kernel in front has ended and what it wrote is seen.
__device__ __forceinline__ void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__)
  cudaGridDependencySynchronize();
#endif
}

/// Lets the kernel behind begin when all blocks of this one have said so. That one has its own wait before it
/// touches what this one reads or writes.
__device__ __forceinline__ void let_next_kernel_begin() {
#if defined(__CUDA_ARCH__)
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

}  // namespace tally_convolve::detail
