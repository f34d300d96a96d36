/// Our own index_add, one idea at a time: what an addition costs where rows differ, and what is done where
/// they do not. The kernel is best/kernels.cuh, ordinary CUDA C++ but for one instruction; best.cuh beside
/// this file is the same for any program.
///
///   vector_atomics    sixteen bytes an atomic, several rows on their way, no division an element
///   warp_aggregated   rows that repeat within a warp's window of indices are added up first
///   block_privatised  rows that repeat within a block are added up in shared memory
///   best              looks at a few of the indices, and does what they need
///
/// The floor: the source and the indices are read, and the rows that occur read and written, once each.
/// README.md has the figures.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/index_add.h"
#include "variants/index_add/best/kernels.cuh"
#include "variants/index_add/best/plan.h"

namespace tally {
namespace {

using tally_index_add::Accumulator;
using tally_index_add::Contention;
using tally_index_add::Plan;
using tally_index_add::Task;

constexpr const char* own = "Tally's own";
constexpr const char* order_of_atomics = "the order in which additions to a row arrive decides the rounding";

/// What is before dim are planes, what is behind it is the width of a row.
template <typename T, typename Index>
Task<T, Index, Accumulator<T>> task_of(const IndexAdd<T, Index>& p) {
  const bool by_rows = p.dim == 0;
  return {p.x,
          p.index,
          p.source,
          p.n,
          p.rows,
          by_rows ? p.width : 1,
          by_rows ? 1 : p.width,
          static_cast<Accumulator<T>>(p.alpha)};
}

template <Contention contention, int Vector, typename T, typename Index>
void launch(Queue& q, const Task<T, Index, Accumulator<T>>& task, const Plan& plan) {
  if constexpr (Vector * sizeof(T) <= 16) {
    if (plan.shares.vector != Vector) {
      launch<contention, 2 * Vector>(q, task, plan);
      return;
    }
    q.launch(tally_index_add::add_rows<T, Index, Vector, contention>,
             {plan.blocks, tally_index_add::threads_of_block}, task, plan.shares);
  }
}

/// The timed call.
template <Contention contention, typename T, typename Index>
auto call_of(const IndexAdd<T, Index>& p, const Scratch& scratch) {
  const auto task = task_of(p);
  const Plan plan = tally_index_add::plan_of(task.n, task.width, task.planes, sizeof(T),
                                             tally_index_add::alignment_of(task.x, task.source),
                                             scratch.device().multiprocessors);
  return [=](Queue& q) { launch<contention, 1>(q, task, plan); };
}

// ------------------------------------------------------------------------------------ vector_atomics

TALLY_VARIANT(IndexAdd, hopper, vector_atomics)
    .lesson(
        "A Hopper GPU's memory adds sixteen bytes an instruction. Lanes stand side by side in a row, and each takes "
        "the same column of several rows, so that no element divides to find its place; what is left is the "
        "memory's own rate.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::ignored>(p, scratch);
    });

// ----------------------------------------------------------------------------------- warp_aggregated

TALLY_VARIANT(IndexAdd, hopper, warp_aggregated)
    .follows("vector_atomics")
    .lesson(
        "Lanes compare their indices (match_any) and put them in order; equal rows are added up in registers, and a "
        "row that all name takes one atomic a window: a 32nd of the line. Comparing costs where nothing repeats.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::by_warp>(p, scratch);
    });

// ---------------------------------------------------------------------------------- block_privatised

TALLY_VARIANT(IndexAdd, hopper, block_privatised)
    .follows("warp_aggregated")
    .lesson(
        "A block keeps sums of rows in shared memory, in a table by hash, and adds each to x when it ends: what its "
        "warps have in common meets there, not in the L2 cache.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::by_block>(p, scratch);
    });

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(IndexAdd, hopper, best)
    .follows("block_privatised")
    .lesson(
        "What a program would use (best.cuh): while the first loads are on their way, each block looks at 32 of its "
        "indices. Where they name few rows it keeps sums, else it adds as vector_atomics does.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::sampled>(p, scratch);
    });

}  // namespace
}  // namespace tally
