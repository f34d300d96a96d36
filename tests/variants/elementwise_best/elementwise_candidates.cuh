#pragma once

#include <thrust/execution_policy.h>
#include <thrust/transform.h>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "tests/variants/candidates.cuh"
#include "variants/elementwise/best.cuh"

/// Everything that z = x · y of n elements is put to: the libraries' calls, and our kernels in every shape
/// that has a chance.
namespace tune {

using tally_elementwise::Hint;
using tally_elementwise::Kernel;
using tally_elementwise::Way;

struct Multiply {
  template <typename T>
  __host__ __device__ T operator()(T x, T y) const {
    return x * y;
  }
};

template <typename T>
struct Question {
  const T* x;
  const T* y;
  T* out;
  std::int64_t n;
};

template <typename T>
void add_libraries(std::vector<Candidate>& all, Question<T> q) {
  all.push_back({"cub",
                 [=](cudaStream_t stream) {
                   return cub::DeviceTransform::Transform(cuda::std::make_tuple(q.x, q.y), q.out, q.n,
                                                          Multiply(), stream);
                 },
                 true});
  all.push_back({"thrust",
                 [=](cudaStream_t stream) {
                   thrust::transform(thrust::cuda::par_nosync.on(stream), q.x, q.x + q.n, q.y, q.out,
                                     Multiply());
                   return cudaGetLastError();
                 },
                 true});
}

inline std::string name_of(const Kernel& kernel, int of_each) {
  const auto hint = [](Hint h) { return h == Hint::none ? "n" : "e"; };
  std::string name = kernel.way == Way::tiles ? "tiles" : kernel.way == Way::blocks ? "blocks" : "copies";
  name += "/t" + std::to_string(kernel.threads);
  if (kernel.way == Way::copies) {
    name += "/s" + std::to_string(kernel.depth) + "x" + std::to_string(kernel.stage_bytes / 1024) + "K";
  } else {
    name += "/u" + std::to_string(kernel.depth) + "/" + hint(kernel.loads) + hint(kernel.stores);
  }
  return of_each > 0 ? name + "/m" + std::to_string(of_each) : name;
}

template <Kernel kernel, typename T>
void add(std::vector<Candidate>& all, Question<T> q, int of_each = 0) {
  const std::int64_t tiles = q.n * static_cast<std::int64_t>(sizeof(T)) / kernel.tile_bytes();
  constexpr std::int64_t most_tiles = std::int64_t{1} << 22;
  if (kernel.way != Way::tiles && tiles < std::int64_t{of_each} * multiprocessors()) return;
  if (kernel.way == Way::tiles && kernel.depth > 1 && tiles < 1) return;
  if (tiles > most_tiles) return;
  all.push_back({name_of(kernel, of_each), [=](cudaStream_t stream) {
                   return tally_elementwise::detail::launch_kernel<kernel>(tally_elementwise::from(q.x, q.y),
                                                                           q.out, q.n, Multiply(), stream,
                                                                           of_each, multiprocessors());
                 }});
}

template <int threads, int depth, Hint loads, Hint stores, typename T>
void add_tiles(std::vector<Candidate>& all, Question<T> q) {
  add<Kernel{Way::tiles, threads, depth, loads, stores}>(all, q);
}

template <Hint loads, Hint stores, typename T>
void add_all_tiles(std::vector<Candidate>& all, Question<T> q) {
  add_tiles<128, 1, loads, stores>(all, q);
  add_tiles<256, 1, loads, stores>(all, q);
  add_tiles<512, 1, loads, stores>(all, q);
  add_tiles<128, 2, loads, stores>(all, q);
  add_tiles<256, 2, loads, stores>(all, q);
  add_tiles<512, 2, loads, stores>(all, q);
  add_tiles<128, 4, loads, stores>(all, q);
  add_tiles<256, 4, loads, stores>(all, q);
  add_tiles<128, 8, loads, stores>(all, q);
}

template <int threads, int depth, Hint loads, Hint stores, typename T>
void add_blocks(std::vector<Candidate>& all, Question<T> q) {
  for (const int of_each : {1, 2, 4, 8}) {
    if (of_each * threads <= 2048) add<Kernel{Way::blocks, threads, depth, loads, stores}>(all, q, of_each);
  }
}

template <int stages, int kilobytes, typename T>
void add_copies_through_shared(std::vector<Candidate>& all, Question<T> q) {
  constexpr Kernel kernel{Way::copies, 256, stages, Hint::none, Hint::none, kilobytes * 1024};
  constexpr int available = 226 * 1024;
  add<kernel>(all, q, available / (kernel.shared_bytes(2) + 1024));
}

template <typename T>
std::vector<Candidate> candidates_of(const Question<T>& q) {
  std::vector<Candidate> all;
  add_libraries(all, q);
  add_tiles<32, 1, Hint::none, Hint::none>(all, q);
  add_tiles<64, 1, Hint::none, Hint::none>(all, q);
  add_tiles<64, 2, Hint::none, Hint::none>(all, q);
  add_tiles<1024, 1, Hint::none, Hint::none>(all, q);
  add_all_tiles<Hint::none, Hint::none>(all, q);
  add_all_tiles<Hint::evict_first, Hint::none>(all, q);
  add_tiles<128, 1, Hint::evict_first, Hint::evict_first>(all, q);
  add_tiles<256, 2, Hint::evict_first, Hint::evict_first>(all, q);
  add_tiles<128, 4, Hint::evict_first, Hint::evict_first>(all, q);
  add_tiles<256, 4, Hint::evict_first, Hint::evict_first>(all, q);
  add_tiles<256, 2, Hint::none, Hint::evict_first>(all, q);
  add_tiles<256, 4, Hint::none, Hint::evict_first>(all, q);
  add_blocks<256, 4, Hint::none, Hint::none>(all, q);
  add_blocks<256, 4, Hint::evict_first, Hint::none>(all, q);
  add_blocks<512, 2, Hint::none, Hint::none>(all, q);
  add_copies_through_shared<4, 8>(all, q);
  add_copies_through_shared<3, 16>(all, q);
  add_copies_through_shared<6, 16>(all, q);
  return all;
}

}  // namespace tune
