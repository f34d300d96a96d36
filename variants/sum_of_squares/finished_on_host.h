#pragma once

#include <cstdint>

#include "harness/catalog/declare.h"
#include "harness/problems/sum_of_squares.h"
#include "variants/sum_of_squares/kernel_clock.h"

/// Stages whose sums the host copies and adds up, inside the call.
namespace tally {

/// A kernel that leaves `results` of its threads or blocks.
template <typename T>
using Kernel = void (*)(T* results, const T* x, std::int64_t n, BlockTimes* times);

/// How a stage is launched, and how many sums it leaves for the host.
struct Stage {
  std::int64_t blocks;
  std::int64_t threads;
  std::int64_t sums;
  std::int64_t shared_cells = 0;
};

template <typename T>
Prepared finished_on_host(Kernel<T> kernel, const SumOfSquares<T>& problem, Stage stage, Scratch& scratch) {
  T* sums = scratch.array<T>(stage.sums);
  T* sums_on_host = scratch.host_array<T>(stage.sums);
  auto* times = scratch.array<BlockTimes>(stage.blocks);
  const std::int64_t shared_bytes = stage.shared_cells * static_cast<std::int64_t>(sizeof(T));
  return with_kernel_clock(
      [=](Queue& q) {
        q.launch(kernel, {stage.blocks, stage.threads, shared_bytes}, sums, problem.x, problem.n, times);
        q.copy_to_host(sums_on_host, sums, static_cast<std::size_t>(stage.sums) * sizeof(T));
        q.synchronize();
        T total = 0;
        for (std::int64_t i = 0; i < stage.sums; ++i) total = added(total, sums_on_host[i]);
        *problem.host_out = total;
      },
      times, stage.blocks);
}

inline Cost cost_of(const ProblemKey& key, Stage stage) {
  const auto element = static_cast<double>(size_of(key.type));
  return {.bytes_read = static_cast<double>(key.n) * element,
          .bytes_written = static_cast<double>(stage.sums) * element +
                           static_cast<double>(stage.blocks) * sizeof(BlockTimes),
          .launches = 1,
          .partials = stage.sums,
          .host_additions = stage.sums};
}

}  // namespace tally
