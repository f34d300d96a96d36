// Kernels of which nvcc itself says the facts (-Xptxas -v). machine_code_sample.elf is what nvcc 13.0 makes
// of it, cut down to what is read of it:
//   nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -lineinfo -maxrregcount=24
//   -Xptxas -v \
//     -c machine_code_sample.cu -o sample.o
//   objcopy --only-section=.nv_fatbin sample.o machine_code_sample.elf
namespace tally {

/// 40 values in 24 registers: 256 bytes of spill stores and as many of spill loads.
__global__ void spills(float* x) {
  float values[40];
#pragma unroll
  for (int i = 0; i < 40; ++i) values[i] = x[i * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 40; ++i) x[i * 32 + threadIdx.x] = values[i * 7 % 40] * values[39 - i];
}

template <typename T>
__global__ void two_barriers(T* x) {
  __shared__ T values[100];
  values[threadIdx.x] = x[threadIdx.x];
  asm volatile("bar.sync 1, 64;");
  __syncthreads();
  x[threadIdx.x] = values[threadIdx.x ^ 1];
}
template __global__ void two_barriers(float*);

}  // namespace tally

namespace library {

__global__ void not_ours(float* x) { x[0] = 1; }

}  // namespace library
