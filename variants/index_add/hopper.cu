/// Our own index_add, one idea at a time: what an addition costs where rows differ, and what is done where
/// they do not. The kernel is best/kernels.cuh, ordinary CUDA C++ but for one instruction; best.cuh beside
/// this file is the same for any program.
///
///   vector_atomics    sixteen bytes an atomic, a warp a window of indices, no division an element
///   warp_aggregated   rows that repeat within a window are added up first
///   block_privatised  rows that repeat within a block are added up in shared memory
///   best              looks at the indices, and does what they need
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
void launch(Queue& q, const Task<T, Index, Accumulator<T>>& task, const Plan& plan, int least_repeats) {
  if constexpr (Vector * sizeof(T) <= 16) {
    if (plan.shares.vector != Vector) {
      launch<contention, 2 * Vector>(q, task, plan, least_repeats);
      return;
    }
    q.launch(tally_index_add::add_rows<T, Index, Vector, contention>,
             {plan.blocks, tally_index_add::threads_of_block}, task, plan.shares, plan.blocks_of_plane,
             least_repeats);
  }
}

/// The timed call.
template <Contention contention, typename T, typename Index>
auto call_of(const IndexAdd<T, Index>& p, const Scratch& scratch, int least_repeats) {
  const auto task = task_of(p);
  const Plan plan = tally_index_add::plan_of(
      task.n, task.width, task.planes, sizeof(T), tally_index_add::alignment_of(task.x, task.source),
      scratch.device().multiprocessors, tally_index_add::warps_of_block, contention == Contention::by_block);
  return [=](Queue& q) { launch<contention, 1>(q, task, plan, least_repeats); };
}

std::int64_t width_of_row(const ProblemKey& key) {
  return key.integer("dim") == 0 ? key.integer("width") : 1;
}

// ------------------------------------------------------------------------------------ vector_atomics

TALLY_VARIANT(IndexAdd, hopper, vector_atomics)
    .lesson(
        "A Hopper GPU's memory adds sixteen bytes an instruction. A warp takes a window of 32 indices and all of "
        "their rows, so that no element divides to find its place; what is left is the memory's own rate.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::ignored>(p, scratch, 0);
    });

// ----------------------------------------------------------------------------------- warp_aggregated

TALLY_VARIANT(IndexAdd, hopper, warp_aggregated)
    .follows("vector_atomics")
    .lesson(
        "Lanes compare their indices (match_any) and put them in order; equal rows are added up in registers, and a "
        "row that all name takes one atomic a window: a 32nd of the line. Sorting costs where nothing repeats.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::by_warp>(p, scratch, 0);
    });

// ---------------------------------------------------------------------------------- block_privatised

TALLY_VARIANT(IndexAdd, hopper, block_privatised)
    .follows("warp_aggregated")
    .lesson(
        "Narrow rows cost so little that even a 32nd of the line is long. A block that samples its indices and "
        "finds few rows keeps their sums in shared memory, in a table by hash, and adds each to x when it ends.")
    .source(own)
    .types<float, double, half>()
    .needs("needs rows of at most 32 elements: the block's sums are in shared memory",
           [](const ProblemKey& key, const Tuning&) {
             return width_of_row(key) <= tally_index_add::widest_hot_row;
           })
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      return call_of<Contention::by_block>(p, scratch, 0);
    });

// ---------------------------------------------------------------------------------------------- best

TALLY_VARIANT(IndexAdd, hopper, best)
    .follows("block_privatised")
    .lesson(
        "What a program would use (best.cuh): windows in which hardly an index repeats are added one by one, others "
        "in order; blocks keep sums where rows are narrow and few. All of it is found out on the way, by the kernel.")
    .source(own)
    .types<float, double, half>()
    .not_deterministic(order_of_atomics)
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      using tally_index_add::worth_sorting;
      const bool narrow = task_of(p).width <= tally_index_add::widest_hot_row;
      const auto by_block = call_of<Contention::by_block>(p, scratch, worth_sorting);
      const auto by_warp = call_of<Contention::by_warp>(p, scratch, worth_sorting);
      return [=](Queue& q) { narrow ? by_block(q) : by_warp(q); };
    });

}  // namespace
}  // namespace tally
