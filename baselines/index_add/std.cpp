/// index_add on the CPU: a loop over the indices, and the same on all cores with atomic additions.
#include <algorithm>
#include <atomic>
#include <execution>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/index_add.h"

namespace tally {
namespace {

/// Calls add(cell of x, term) for every element that index i brings.
template <typename T, typename Index, typename Add>
void add_row(const IndexAdd<T, Index>& p, std::int64_t i, Add add) {
  for (std::int64_t c = 0; c < p.width; ++c)
    add(p.x[p.place_in_x(p.index[i], c)], static_cast<T>(p.alpha) * p.source[p.place_in_source(i, c)]);
}

TALLY_BASELINE(IndexAdd, std, loop)
    .lesson("A loop over the indices, on one core.")
    .source("C++ standard library")
    .types<float, double>()
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        for (std::int64_t i = 0; i < p.n; ++i) add_row(p, i, [](T& cell, T term) { cell += term; });
      };
    });

TALLY_BASELINE(IndexAdd, std, for_each_par)
    .lesson(
        "std::for_each over the indices with std::execution::par, and std::atomic_ref for every addition.")
    .source("C++ standard library")
    .types<float, double>()
    .not_deterministic("the order in which the cores' atomics arrive decides the rounding")
    .prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch&) {
      return [=](Queue&) {
        std::for_each(std::execution::par, p.index, p.index + p.n, [p](const Index& index) {
          add_row(p, &index - p.index, [](T& cell, T term) {
            std::atomic_ref<T>(cell).fetch_add(term, std::memory_order_relaxed);
          });
        });
      };
    });

}  // namespace
}  // namespace tally
