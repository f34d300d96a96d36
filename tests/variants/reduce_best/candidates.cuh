#pragma once

#include <cub/device/device_reduce.cuh>
#include <functional>
#include <string>
#include <vector>

#include "values.cuh"
#include "variants/reduce/best/bulk.cuh"
#include "variants/reduce/best/grid.cuh"
#include "variants/reduce/best/launch.cuh"
#include "variants/reduce/best/once.cuh"

/// Everything that one question (type, op, n) is put to: CUB's calls, and our kernels in every shape that has
/// a chance.
namespace tune {

using tally_reduce::Answer;
using tally_reduce::Spans;
namespace detail = tally_reduce::detail;

struct Candidate {
  std::string name;
  std::function<cudaError_t(cudaStream_t, bool programmatic)> call;
  bool library = false;
};

template <typename T>
struct Question {
  const T* x;
  std::int64_t n;
  Answer<T>* out;
  detail::Slots slots;  ///< at least most_blocks of them
  void* cub_storage;
  std::size_t cub_bytes;
};
inline constexpr int most_blocks = 1 << 12;

/// The operation as CUB's Reduce takes it.
template <typename A, typename Op>
struct ForCub {
  __device__ __forceinline__ A operator()(A a, A b) const { return Op::combine(a, b); }
};

template <typename T, typename Op>
void add_cub(std::vector<Candidate>& all, Question<T> q) {
  using A = Answer<T>;
  const auto with = [&](const char* name, auto reduce) {
    all.push_back(
        {name, [=](cudaStream_t stream, bool) mutable { return reduce(q.cub_storage, q.cub_bytes, stream); },
         true});
  };
  const auto indexed = [&](const char* name, auto n) {
    if constexpr (std::is_same_v<A, T> && std::is_same_v<Op, tally_reduce::Sum>) {
      with(name, [=](void* s, std::size_t& b, cudaStream_t t) {
        return cub::DeviceReduce::Sum(s, b, q.x, q.out, n, t);
      });
    } else if constexpr (std::is_same_v<A, T> && std::is_same_v<Op, tally_reduce::Min>) {
      with(name, [=](void* s, std::size_t& b, cudaStream_t t) {
        return cub::DeviceReduce::Min(s, b, q.x, q.out, n, t);
      });
    } else if constexpr (std::is_same_v<A, T>) {
      with(name, [=](void* s, std::size_t& b, cudaStream_t t) {
        return cub::DeviceReduce::Max(s, b, q.x, q.out, n, t);
      });
    } else {
      with(name, [=](void* s, std::size_t& b, cudaStream_t t) {
        return cub::DeviceReduce::Reduce(s, b, q.x, q.out, n, ForCub<A, Op>(), Op::template identity<A>(), t);
      });
    }
  };
  indexed("cub", q.n);
  if (q.n < (std::int64_t{1} << 31)) indexed("cub/int32", static_cast<int>(q.n));
}

inline std::uint64_t next_tag() {
  static std::uint64_t tag = 0x1234567887654321ull;
  return tag += 0x9e3779b97f4a7c15ull;
}

inline int multiprocessors() {
  static const int count = [] {
    int value = 0;
    TUNE_REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    return value;
  }();
  return count;
}

inline std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// A kernel of grid_of_blocks' signature in one shape.
template <typename T, typename Kernel>
void add_grid(std::vector<Candidate>& all, Question<T> q, std::string name, Kernel kernel, int threads,
              std::int64_t blocks, int of_each, std::size_t shared, int boundary) {
  const Spans spans = tally_reduce::spans_of(q.x, q.n, boundary);
  name += "/m" + std::to_string(of_each);
  all.push_back({name, [=](cudaStream_t stream, bool programmatic) {
                   return detail::launch(kernel,
                                         {static_cast<unsigned>(blocks), static_cast<unsigned>(threads),
                                          shared, 1, programmatic},
                                         stream, spans, q.slots, next_tag(), q.out, Answer<T>(1));
                 }});
}

template <typename T, typename Op, int Threads, int Loads>
void add_blocks(std::vector<Candidate>& all, Question<T> q) {
  const auto bytes = q.n * static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t tile = std::int64_t{Threads} * Loads * 16;
  const std::int64_t tiles = ceiling_of(bytes, tile);
  const std::int64_t sms = multiprocessors();
  if (bytes < (2 << 20)) return;
  const std::string name = "blocks/t" + std::to_string(Threads) + "/u" + std::to_string(Loads);
  const auto kernel = detail::grid_of_blocks<T, Op, Threads, Loads>;
  for (const int of_each : {1, 2, 3, 4, 5, 6, 8}) {
    const std::int64_t blocks = of_each * sms;
    if (blocks > tiles || of_each * Threads > 2048) continue;
    add_grid<T>(all, q, name, kernel, Threads, blocks, of_each, 0, 16);
  }
}

template <typename T>
detail::SmallSpans small_spans_of(const Question<T>& q) {
  return detail::SmallSpans::of(tally_reduce::spans_of(q.x, q.n));
}

/// The kernels that load everything at once.
template <typename T, typename Op, int Threads, int Loads>
void add_once(std::vector<Candidate>& all, Question<T> q) {
  const Spans spans = tally_reduce::spans_of(q.x, q.n);
  const std::int64_t tiles = std::max<std::int64_t>(ceiling_of(spans.words, Threads * Loads), 1);
  if (tiles > tally_reduce::Kernel{tally_reduce::Way::tile_each, Threads, Loads}.most_tiles() ||
      (Loads > 1 && spans.words < Threads * Loads / 2))
    return;
  const auto small = small_spans_of(q);
  const std::string shape = "/t" + std::to_string(Threads) + "/u" + std::to_string(Loads);
  const auto blocks = static_cast<unsigned>(tiles);
  if (tiles == 1) {
    all.push_back({"one" + shape, [=](cudaStream_t stream, bool programmatic) {
                     return detail::launch(detail::one_block<T, Op, Threads, Loads>,
                                           {1, Threads, 0, 1, programmatic}, stream, small, q.out,
                                           Answer<T>(1));
                   }});
    return;
  }
  all.push_back({"each" + shape, [=](cudaStream_t stream, bool programmatic) {
                   return detail::launch(detail::one_tile_each<T, Op, Threads, Loads>,
                                         {blocks, Threads, 0, 1, programmatic}, stream, small, q.slots,
                                         next_tag(), q.out, Answer<T>(1));
                 }});
  if (tiles > 8) return;
  all.push_back(
      {"cluster" + shape + "/g" + std::to_string(tiles), [=](cudaStream_t stream, bool programmatic) {
         return detail::launch(detail::one_cluster<T, Op, Threads, Loads>,
                               {blocks, Threads, 0, blocks, programmatic}, stream, small, q.out,
                               Answer<T>(1));
       }});
}

template <typename T, typename Op, int Threads, int Stages, int StageKilobytes>
void add_bulk(std::vector<Candidate>& all, Question<T> q) {
  constexpr int stage = StageKilobytes * 1024;
  constexpr std::size_t shared = std::size_t{Stages} * stage;
  const auto bytes = q.n * static_cast<std::int64_t>(sizeof(T));
  if (bytes < (16 << 20)) return;
  const std::int64_t tiles = ceiling_of(bytes, stage);
  const std::int64_t a_multiprocessor = (226 * 1024) / static_cast<std::int64_t>(shared + 1024);
  const std::int64_t blocks = std::min<std::int64_t>(tiles, a_multiprocessor * multiprocessors());
  const std::string name = "bulk/t" + std::to_string(Threads) + "/s" + std::to_string(Stages) + "x" +
                           std::to_string(StageKilobytes) + "K";
  const auto kernel = detail::grid_of_copies<T, Op, Threads, Stages, stage>;
  add_grid<T>(all, q, name, kernel, Threads, blocks, static_cast<int>(a_multiprocessor), shared, 128);
}

template <typename T, typename Op>
std::vector<Candidate> candidates_of(const Question<T>& q) {
  std::vector<Candidate> all;
  add_cub<T, Op>(all, q);
  add_once<T, Op, 32, 4>(all, q);
  add_once<T, Op, 32, 8>(all, q);
  add_once<T, Op, 64, 4>(all, q);
  add_once<T, Op, 64, 8>(all, q);
  add_once<T, Op, 128, 1>(all, q);
  add_once<T, Op, 128, 2>(all, q);
  add_once<T, Op, 128, 4>(all, q);
  add_once<T, Op, 128, 8>(all, q);
  add_once<T, Op, 256, 1>(all, q);
  add_once<T, Op, 256, 2>(all, q);
  add_once<T, Op, 256, 4>(all, q);
  add_once<T, Op, 256, 8>(all, q);
  add_once<T, Op, 512, 1>(all, q);
  add_once<T, Op, 512, 2>(all, q);
  add_once<T, Op, 512, 4>(all, q);
  add_once<T, Op, 512, 8>(all, q);
  add_blocks<T, Op, 256, 2>(all, q);
  add_blocks<T, Op, 256, 4>(all, q);
  add_blocks<T, Op, 256, 8>(all, q);
  add_blocks<T, Op, 512, 2>(all, q);
  add_blocks<T, Op, 512, 4>(all, q);
  add_bulk<T, Op, 256, 6, 32>(all, q);
  add_bulk<T, Op, 256, 12, 16>(all, q);
  add_bulk<T, Op, 256, 6, 16>(all, q);
  return all;
}

}  // namespace tune
