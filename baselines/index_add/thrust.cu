/// index_add without atomics, by Thrust: sort_by_key, reduce_by_key column after column, and one addition a
/// row.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/index_add.h"
#include "harness/problems/reduce.h"  // Accumulator

#if defined(__CUDACC__)
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
/// What the steps after the sort need, the same for both types of indices: 64-bit rows in order, and where
/// each of them was.
template <typename T>
struct Columns {
  IndexAdd<T, std::int64_t> p;  // its index is not used
  const std::int64_t* rows;
  const std::int32_t* places;
};

/// The run of equal keys that sorted element e belongs to: all columns lie behind one another.
template <typename T>
struct KeyOf {
  Columns<T> c;
  __device__ std::int64_t operator()(std::int64_t e) const {
    const std::int64_t column = e / c.p.n;
    return column * c.p.rows + c.rows[e - column * c.p.n];
  }
};

template <typename T>
struct TermOf {
  Columns<T> c;
  __device__ Accumulator<T> operator()(std::int64_t e) const {
    const std::int64_t column = e / c.p.n;
    return static_cast<Accumulator<T>>(c.p.alpha) *
           static_cast<Accumulator<T>>(c.p.source[c.p.place_in_source(c.places[e - column * c.p.n], column)]);
  }
};

template <typename T>
struct AddSum {
  Columns<T> c;
  const std::int64_t* keys;
  const Accumulator<T>* sums;
  __device__ void operator()(std::int64_t run) const {
    const std::int64_t column = keys[run] / c.p.rows;
    T& cell = c.p.x[c.p.place_in_x(keys[run] - column * c.p.rows, column)];
    cell = static_cast<T>(static_cast<Accumulator<T>>(cell) + sums[run]);
  }
};

template <typename T>
auto sorted_and_reduced(const Columns<T>& columns, std::int64_t* rows, std::int32_t* places,
                        Scratch& scratch) {
  const std::int64_t elements = columns.p.elements();
  auto* keys = scratch.array<std::int64_t>(elements);
  auto* sums = scratch.array<Accumulator<T>>(elements);
  return [=, n = columns.p.n](Queue& q) {
    const auto policy = thrust::cuda::par.on(q.stream());
    thrust::sequence(policy, places, places + n);
    thrust::sort_by_key(policy, rows, rows + n, places);
    const auto all = thrust::counting_iterator<std::int64_t>(0);
    const auto key = thrust::make_transform_iterator(all, KeyOf<T>{columns});
    const auto term = thrust::make_transform_iterator(all, TermOf<T>{columns});
    const auto ends = thrust::reduce_by_key(policy, key, key + elements, term, keys, sums);
    thrust::for_each_n(policy, all, ends.first - keys, AddSum<T>{columns, keys, sums});
  };
}
#endif

TALLY_BASELINE(IndexAdd, thrust, sort_and_reduce_by_key)
    .lesson("thrust::sort_by_key and thrust::reduce_by_key, which allocate and wait, and for_each for the rest.")
    .source("Thrust, part of CCCL")
    .types<float, double, half>()
    .needs("needs n below 2^31",
           [](const ProblemKey& key, const Tuning&) { return key.n < (std::int64_t{1} << 31); })
    .synchronises()
    .not_deterministic("how far a tile of reduce_by_key looks back decides the order of additions")
    .not_on(DeviceKind::simt, "Thrust's CUDA system needs CUDA")
    .not_on(DeviceKind::host, "Thrust's CUDA system needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      auto* rows = scratch.array<std::int64_t>(p.n);
      auto* places = scratch.array<std::int32_t>(p.n);
      const IndexAdd<T, std::int64_t> sizes{p.x, nullptr, p.source, p.n, p.rows, p.width, p.dim, p.alpha};
      const auto add = sorted_and_reduced(Columns<T>{sizes, rows, places}, rows, places, scratch);
      return [=](Queue& q) {
        thrust::copy(thrust::cuda::par.on(q.stream()), p.index, p.index + p.n, rows);
        add(q);
      };
    }));

}  // namespace
}  // namespace tally
