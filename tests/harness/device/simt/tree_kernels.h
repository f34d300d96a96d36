/// \file
/// A block's tree in its three classic forms, an element a thread: they differ in who adds and in which
/// cells, and nothing else. For blocks of 256 threads.
#pragma once

#include "harness/device/launch.h"

/// Every second thread adds its neighbour's cell, then every fourth, …
constexpr int neighbours_line = __LINE__ + 6;
__global__ inline void tree_of_neighbours(const float* x, float* sums) {
  __shared__ float cells[256];
  cells[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned gap = 1; gap < blockDim.x; gap *= 2) {
    if (threadIdx.x % (2 * gap) == 0) cells[threadIdx.x] += cells[threadIdx.x + gap];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = cells[0];
}

/// The same pairs of cells, added by the first threads.
constexpr int first_threads_line = __LINE__ + 7;
__global__ inline void tree_of_first_threads(const float* x, float* sums) {
  __shared__ float cells[256];
  cells[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned gap = 1; gap < blockDim.x; gap *= 2) {
    const unsigned left = threadIdx.x * (2 * gap);
    if (left < blockDim.x) cells[left] += cells[left + gap];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = cells[0];
}

/// The first threads add the upper half to the lower, then the upper quarter, …
__global__ inline void tree_from_the_top(const float* x, float* sums) {
  __shared__ float cells[256];
  cells[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) cells[threadIdx.x] += cells[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = cells[0];
}
