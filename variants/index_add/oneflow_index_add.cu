/// OneFlow's index_add: one element of the source a thread, added by an atomic to wherever its index points.
///
/// A single kernel, whose time is decided by its input: rows that are named once spread over the memory, a
/// row that is named by all is a line in which everyone waits. The source copies x into its output first;
/// here x is added to in place, as PyTorch's index_add_ has it. Elements are counted in 64 bits throughout,
/// where the source narrows their number to 32.
#include <algorithm>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/index_add.h"

namespace tally {
namespace {

constexpr const char* notes = "Notes on GPU performance: indexing, after OneFlow's index_add";

/// Element i of the source stands at (before, along, after) of its shape round the indexed dimension. In x it
/// stands at (before, index[along], after), and x is `delta` longer along that dimension.
template <typename T, typename Index>
__global__ void atomic_add(T* x, const Index* index, const T* source, std::int64_t elements,
                           std::int64_t stride, std::int64_t source_length, std::int64_t delta, float alpha) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t size_along = stride * source_length;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    const std::int64_t before = i / size_along;
    const std::int64_t along = (i - before * size_along) / stride;
    const std::int64_t row = index[along];
    atomicAdd(x + i + (delta * before + row - along) * stride, static_cast<T>(alpha) * source[i]);
  }
}

TALLY_VARIANT(IndexAdd, oneflow_index_add, atomic_add)
    .lesson(
        "Nothing but an atomic an element: little enough while rows differ. Where all of them are one it takes "
        "3 to 14 times as long in float32 and a thousand times in float16 (H200), since a place in memory takes "
        "one addition at a time.")
    .source(notes)
    .types<float, double, half>()
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .not_deterministic("the order in which the threads' atomics arrive decides the rounding")
    .cost([](const ProblemKey& key, const Tuning&) {
      const auto element = static_cast<double>(size_of(key.type));
      const double index = key.text("index_type") == "int32" ? 4 : 8;
      const double elements = static_cast<double>(key.n) * static_cast<double>(key.integer("width"));
      return Cost{.bytes_read = elements * (index + element)};
    })
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning& t, Scratch&) {
      constexpr std::int64_t most_blocks = 1 << 20;  // beyond them, the stride of the grid
      return [=, threads = t["threads"]](Queue& q) {
        const std::int64_t blocks = std::min((p.elements() + threads - 1) / threads, most_blocks);
        q.launch(atomic_add<T, Index>, {blocks, threads}, p.x, p.index, p.source, p.elements(), p.stride(),
                 p.n, p.rows - p.n, static_cast<float>(p.alpha));
      };
    });

}  // namespace
}  // namespace tally
