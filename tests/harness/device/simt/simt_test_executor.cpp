// The executor runs kernels as CUDA says: indices, barriers, warp functions, shared memory, atomics, errors.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/harness/device/simt/kernels_under_test.h"

namespace {

using tally::simt::DeviceArray;
using tally::simt::dynamic_shared;
using tally::simt::launch;
using tally::simt::random_values;

__global__ void write_indices(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = block * 1000 + thread;
}

TEST(Executor, gives_every_thread_its_indices) {
  const dim3 grid(3, 2, 2), block(5, 4, 3);
  DeviceArray<int> out(12 * 60);
  launch("write_indices", write_indices, grid, block, 0, out.get());
  for (int b = 0; b < 12; ++b) {
    for (int t = 0; t < 60; ++t) ASSERT_EQ(out[b * 60 + t], b * 1000 + t);
  }
}

template <typename T>
__global__ void tree_sum(T* partials, const T* x, std::int64_t n) {
  __shared__ T sums[256];
  const unsigned t = threadIdx.x;
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + t;
  sums[t] = i < n ? x[i] : T{0};
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) partials[blockIdx.x] = sums[0];
}

TEST(Executor, sums_in_static_shared_memory_over_many_blocks) {
  for (const int n : {1, 2, 31, 33, 255, 257, 100003}) {
    const auto values = random_values(n, 11);
    const int blocks = (n + 255) / 256;
    DeviceArray<int> x(values), partials(blocks);
    launch("tree_sum", tree_sum<int>, blocks, 256, 0, partials.get(), x.get(), n);
    const auto sums = partials.values();
    EXPECT_EQ(std::accumulate(sums.begin(), sums.end(), 0), std::accumulate(values.begin(), values.end(), 0))
        << n;
  }
}

__global__ void reverse_in_dynamic_shared(int* out, const int* x) {
  int* const tile = dynamic_shared<int>();
  tile[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

TEST(Executor, gives_each_block_its_dynamic_shared_memory) {
  const auto values = random_values(1024 * 7, 12);
  DeviceArray<int> x(values), out(values.size());
  launch("reverse", reverse_in_dynamic_shared, 7, 1024, 4096, out.get(), x.get());
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(out[i], values[i / 1024 * 1024 + 1023 - i % 1024]);
}

template <typename T, int N>
__global__ void two_dimensional_shared(T* out) {
  __shared__ T tile[N][N + 1];
  __shared__ T corner;
  tile[threadIdx.y][threadIdx.x] = T(threadIdx.y * N + threadIdx.x);
  if (threadIdx.x == 0 && threadIdx.y == 0) corner = T(7);
  __syncthreads();
  out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y] + corner;
}

TEST(Executor, takes_shared_arrays_and_scalars_in_templates) {
  DeviceArray<double> wide(16 * 16);
  DeviceArray<short> narrow(8 * 8);
  launch("wide", two_dimensional_shared<double, 16>, 1, dim3(16, 16), 0, wide.get());
  launch("narrow", two_dimensional_shared<short, 8>, 1, dim3(8, 8), 0, narrow.get());
  EXPECT_EQ(wide[3 * 16 + 5], 5 * 16 + 3 + 7);
  EXPECT_EQ(narrow[2 * 8 + 1], 1 * 8 + 2 + 7);
}

__global__ void barrier_votes(int* out, int limit) {
  const int mine = static_cast<int>(threadIdx.x) < limit;
  const int count = __syncthreads_count(mine), all = __syncthreads_and(mine), any = __syncthreads_or(mine);
  if (threadIdx.x == 0) out[0] = count, out[1] = all, out[2] = any;
}

TEST(Executor, counts_predicates_at_barriers) {
  DeviceArray<int> out(3);
  const auto votes = [&](int limit) {
    launch("votes", barrier_votes, 1, 100, 0, out.get(), limit);
    return out.values();
  };
  EXPECT_EQ(votes(37), (std::vector{37, 0, 1}));
  EXPECT_EQ(votes(100), (std::vector{100, 1, 1}));
  EXPECT_EQ(votes(0), (std::vector{0, 0, 0}));
}

__global__ void shuffles(int* out) {
  const int l = threadIdx.x;
  out[l] = __shfl_sync(0xffffffffu, l * 10, 5);
  out[32 + l] = __shfl_up_sync(0xffffffffu, l * 10, 3);
  out[64 + l] = __shfl_down_sync(0xffffffffu, l * 10, 3);
  out[96 + l] = __shfl_xor_sync(0xffffffffu, l * 10, 9);
  out[128 + l] = __shfl_down_sync(0xffffffffu, l * 10, 3, 8);
  out[160 + l] = __shfl_up_sync(0xffffffffu, l * 10, 3, 8);
  out[192 + l] = __shfl_sync(0xffffffffu, l * 10, 11, 8);
}

TEST(Executor, shuffles_as_cuda_does) {
  DeviceArray<int> out(7 * 32);
  launch("shuffles", shuffles, 1, 32, 0, out.get());
  for (int l = 0; l < 32; ++l) {
    EXPECT_EQ(out[l], 50);
    EXPECT_EQ(out[32 + l], 10 * (l >= 3 ? l - 3 : l));
    EXPECT_EQ(out[64 + l], 10 * (l + 3 < 32 ? l + 3 : l));
    EXPECT_EQ(out[96 + l], 10 * (l ^ 9));
    EXPECT_EQ(out[128 + l], 10 * (l % 8 + 3 < 8 ? l + 3 : l));
    EXPECT_EQ(out[160 + l], 10 * (l % 8 >= 3 ? l - 3 : l));
    EXPECT_EQ(out[192 + l], 10 * (l / 8 * 8 + 3));
  }
}

__global__ void warp_functions(unsigned* out, double* doubles) {
  const unsigned l = threadIdx.x % 32;
  const unsigned half_warp = l < 16 ? 0x0000ffffu : 0xffff0000u;
  const int is_signed = static_cast<int>(l) - 5;
  unsigned results[] = {__ballot_sync(~0u, l % 3 == 0),
                        unsigned(__any_sync(~0u, l == 40)),
                        unsigned(__all_sync(~0u, l < 32)),
                        __reduce_add_sync(~0u, l),
                        unsigned(__reduce_min_sync(~0u, is_signed)),
                        __reduce_max_sync(half_warp, l),
                        __reduce_xor_sync(~0u, l * 3),
                        __match_any_sync(~0u, l % 4)};
  for (int k = 0; k < 8; ++k) out[threadIdx.x * 8 + k] = results[k];
  doubles[threadIdx.x] = __shfl_xor_sync(half_warp, 0.5 * l, 1);
}

TEST(Executor, votes_matches_and_reduces_over_warps) {
  DeviceArray<unsigned> out(64 * 8);
  DeviceArray<double> doubles(64);
  launch("warp_functions", warp_functions, 1, 64, 0, out.get(), doubles.get());
  unsigned thirds = 0, bits = 0;
  for (unsigned l = 0; l < 32; ++l) thirds |= unsigned(l % 3 == 0) << l, bits ^= l * 3;
  for (unsigned t = 0; t < 64; ++t) {
    const unsigned l = t % 32;
    const std::vector<unsigned> expected = {
        thirds, 0, 1, 496, unsigned(-5), l < 16 ? 15u : 31u, bits, 0x11111111u << (l % 4)};
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ(out[t * 8 + k], expected[k]) << "result " << k << " of thread " << t;
    EXPECT_EQ(doubles[t], 0.5 * (l ^ 1));
  }
}

__global__ void active_masks(unsigned* out) {
  out[threadIdx.x] = 0;
  if (threadIdx.x % 2 == 0) out[threadIdx.x] = __activemask();
}

TEST(Executor, knows_which_lanes_are_active) {
  DeviceArray<unsigned> out(40);
  launch("active_masks", active_masks, 1, 40, 0, out.get());
  for (unsigned t = 0; t < 40; ++t) {
    EXPECT_EQ(out[t], t % 2 != 0 ? 0 : t < 32 ? 0x55555555u : 0x55u) << t;
  }
}

__global__ void count_atomically(unsigned* integers, float* floats, __half2* halves,
                                 unsigned long long* wide) {
  atomicAdd(&integers[0], 1u);
  atomicMax(&integers[1], threadIdx.x + blockIdx.x);
  atomicInc(&integers[2], 9u);
  atomicCAS(&integers[3], 0u, 5u);
  atomicXor(&integers[4], 1u << (threadIdx.x % 32));
  atomicMin(&integers[5], 100u - threadIdx.x % 50);
  atomicAdd(floats, 0.5f);
  if (blockIdx.x == 0 && threadIdx.x < 64) atomicAdd(halves, __halves2half2(__half(1.0f), __half(2.0f)));
  atomicAdd(wide, 1ull << 32);
}

TEST(Executor, adds_atomically_between_cores) {
  tally::simt::set_worker_count(4);
  DeviceArray<unsigned> integers(std::vector<unsigned>{0, 0, 0, 0, 0, 1000});
  DeviceArray<float> floats(std::vector<float>{0});
  DeviceArray<__half2> halves(std::vector<__half2>{{__half(0.0f), __half(0.0f)}});
  DeviceArray<unsigned long long> wide(std::vector<unsigned long long>{0});
  launch("atomics", count_atomically, 64, 256, 0, integers.get(), floats.get(), halves.get(), wide.get());
  tally::simt::set_worker_count(0);
  EXPECT_EQ(integers[0], 64u * 256u);
  EXPECT_EQ(integers[1], 255u + 63u);
  EXPECT_EQ(integers[2], 64u * 256u % 10u);
  EXPECT_EQ(integers[3], 5u);
  EXPECT_EQ(integers[4], 0u);
  EXPECT_EQ(integers[5], 51u);
  EXPECT_EQ(floats[0], 64 * 256 * 0.5f);
  EXPECT_EQ(float(halves[0].x), 64.0f);
  EXPECT_EQ(float(halves[0].y), 128.0f);
  EXPECT_EQ(wide[0], (64ull * 256ull) << 32);
}

}  // namespace
