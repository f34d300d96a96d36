// How fast the CPU executor runs and counts, on one core. `items_per_second` are lane accesses, `time` is a
// launch. CMake's target simt_bench: a kernel file, compiled as variants are for simt.
#include <benchmark/benchmark.h>

#include <memory>

#include "harness/device/simt/counters.h"
#include "tests/harness/device/simt/kernels_under_test.h"
#include "tests/harness/device/simt/tree_kernels.h"

namespace {

using tally::simt::DeviceArray;
using tally::simt::launch;
using tally::simt::Session;

// The tree of divergence/reduce0, 256 threads a block.
constexpr std::int64_t tree_accesses_a_block = 2 * 256 + 3 * 255 + 2;

__global__ void grid_stride_sum(const float* x, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void shuffle_sum(const float* x, float* out) {
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

/// Runs `body` on one core, counting or not.
template <typename Body>
void measure(benchmark::State& state, bool counted, std::int64_t accesses, Body body) {
  tally::simt::set_worker_count(1);
  const std::unique_ptr<Session> session = counted ? std::make_unique<Session>() : nullptr;
  for (auto _ : state) body();
  state.SetItemsProcessed(state.iterations() * accesses);
  if (counted && !session->findings().empty()) state.SkipWithError(session->findings()[0].message.c_str());
  tally::simt::set_worker_count(0);
}

void modulo_tree_bench(benchmark::State& state, bool counted) {
  const auto n = static_cast<std::size_t>(state.range(0));
  DeviceArray<float> x(std::vector<float>(n, 1.0f)), out(n / 256);
  const auto blocks = static_cast<unsigned>(n / 256);
  measure(state, counted, tree_accesses_a_block * blocks,
          [&] { launch("modulo_tree", tree_of_neighbours, blocks, 256, 0, x.get(), out.get()); });
}
BENCHMARK_CAPTURE(modulo_tree_bench, counted, true)
    ->Arg(1 << 16)
    ->Arg(1 << 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(modulo_tree_bench, not_counted, false)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

void grid_stride_bench(benchmark::State& state, bool counted) {
  const auto n = static_cast<std::size_t>(state.range(0));
  DeviceArray<float> x(std::vector<float>(n, 1.0f)), out(16 * 256);
  measure(state, counted, static_cast<std::int64_t>(n) + 16 * 256, [&] {
    launch("grid_stride_sum", grid_stride_sum, 16, 256, 0, x.get(), out.get(), static_cast<int>(n));
  });
}
BENCHMARK_CAPTURE(grid_stride_bench, counted, true)->Arg(1 << 20)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grid_stride_bench, not_counted, false)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

void shuffle_bench(benchmark::State& state, bool counted) {
  const auto n = static_cast<std::size_t>(state.range(0));
  DeviceArray<float> x(std::vector<float>(n, 1.0f)), out(n / 32);
  measure(state, counted, static_cast<std::int64_t>(n + n / 32), [&] {
    launch("shuffle_sum", shuffle_sum, static_cast<unsigned>(n / 256), 256, 0, x.get(), out.get());
  });
}
BENCHMARK_CAPTURE(shuffle_bench, counted, true)->Arg(1 << 18)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(shuffle_bench, not_counted, false)->Arg(1 << 18)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
