/// index_add without atomics, by CUB: the indices are radix-sorted together with their places, equal ones are
/// added up by ReduceByKey, column after column, and each sum is added to x once.
#include <bit>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/index_add.h"
#include "harness/problems/reduce.h"  // Accumulator

#if defined(__CUDACC__)
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
/// What the steps after the sort need, the same for both types of indices, so that they are compiled once:
/// the indices in order, and where each of them was.
template <typename T>
struct Columns {
  IndexAdd<T, std::int64_t> p;  // its index is not used
  const void* rows;
  bool rows_are_narrow;
  const std::int32_t* places;

  __device__ std::int64_t row(std::int64_t i) const {
    return rows_are_narrow ? static_cast<const std::int32_t*>(rows)[i]
                           : static_cast<const std::int64_t*>(rows)[i];
  }
};

struct SetToItself {
  std::int32_t* places;
  __device__ void operator()(std::int64_t i) const { places[i] = static_cast<std::int32_t>(i); }
};

/// The run of equal keys that sorted element e belongs to: all columns lie behind one another.
template <typename T>
struct KeyOf {
  Columns<T> c;
  __device__ std::int64_t operator()(std::int64_t e) const {
    const std::int64_t column = e / c.p.n;
    return column * c.p.rows + c.row(e - column * c.p.n);
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
  const std::int64_t* count;
  __device__ void operator()(std::int64_t run) const {
    if (run >= *count) return;
    const std::int64_t column = keys[run] / c.p.rows;
    T& cell = c.p.x[c.p.place_in_x(keys[run] - column * c.p.rows, column)];
    cell = static_cast<T>(static_cast<Accumulator<T>>(cell) + sums[run]);
  }
};

template <typename Call>
std::size_t storage_of(Call call) {
  std::size_t bytes = 0;
  require(call(nullptr, bytes, cudaStream_t{}), "cub: size of the temporary storage");
  return bytes;
}

template <typename Index, typename Call>
struct Sort {
  const Index* rows;
  const std::int32_t* places;
  Call call;
};

/// The radix sort of the indices and their places: where they will be, and the call.
template <typename T, typename Index>
auto sorted(const IndexAdd<T, Index>& p, Scratch& scratch) {
  auto* rows = scratch.array<Index>(p.n);
  auto* places = scratch.array<std::int32_t>(p.n);
  auto* places_before = scratch.array<std::int32_t>(p.n);
  const auto sort = [=, index = p.index, n = p.n, largest = static_cast<std::uint64_t>(p.rows)](
                        void* storage, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, index, rows, places_before, places, n, 0,
                                           static_cast<int>(std::bit_width(largest)), stream);
  };
  const std::size_t bytes = storage_of(sort);
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  const auto call = [=, n = p.n](Queue& q) {
    std::size_t size = bytes;
    require(cub::DeviceFor::Bulk(n, SetToItself{places_before}, q.stream()), "cub::DeviceFor::Bulk");
    require(sort(storage, size, q.stream()), "cub::DeviceRadixSort::SortPairs");
  };
  return Sort<Index, decltype(call)>{rows, places, call};
}

/// The call that adds up what has the same row and column, and adds the sums to x.
template <typename T>
auto reduced(const Columns<T>& columns, Scratch& scratch) {
  const std::int64_t elements = columns.p.elements();
  auto* keys = scratch.array<std::int64_t>(elements);
  auto* sums = scratch.array<Accumulator<T>>(elements);
  auto* count = scratch.array<std::int64_t>(1);
  const auto reduce = [=](void* storage, std::size_t& bytes, cudaStream_t stream) {
    const auto all = thrust::counting_iterator<std::int64_t>(0);
    return cub::DeviceReduce::ReduceByKey(storage, bytes,
                                          thrust::make_transform_iterator(all, KeyOf<T>{columns}), keys,
                                          thrust::make_transform_iterator(all, TermOf<T>{columns}), sums,
                                          count, cuda::std::plus<Accumulator<T>>(), elements, stream);
  };
  const std::size_t bytes = storage_of(reduce);
  void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
  return [=](Queue& q) {
    std::size_t size = bytes;
    require(reduce(storage, size, q.stream()), "cub::DeviceReduce::ReduceByKey");
    require(cub::DeviceFor::Bulk(elements, AddSum<T>{columns, keys, sums, count}, q.stream()),
            "cub::DeviceFor::Bulk");
  };
}
#endif

TALLY_BASELINE(IndexAdd, cub, sort_and_reduce_by_key)
    .lesson("Radix sort, ReduceByKey and one addition a row: no atomics, so that rows named again and again make "
            "it cheaper, not dearer.")
    .source("CUB, part of CCCL")
    .types<float, double, half>()
    .needs("needs n below 2^31",
           [](const ProblemKey& key, const Tuning&) { return key.n < (std::int64_t{1} << 31); })
    .not_deterministic("how far a tile of ReduceByKey looks back decides the order of additions")
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Index>(IndexAdd<T, Index> p, const Tuning&, Scratch& scratch) {
      const auto sort = sorted(p, scratch);
      const auto add = reduced(Columns<T>{{p.x, nullptr, p.source, p.n, p.rows, p.width, p.dim, p.alpha},
                                          sort.rows,
                                          sizeof(Index) == 4,
                                          sort.places},
                               scratch);
      return [=](Queue& q) {
        sort.call(q);
        add(q);
      };
    }));

}  // namespace
}  // namespace tally
