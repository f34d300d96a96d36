#pragma once

#include <thrust/execution_policy.h>
#include <thrust/transform.h>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "tests/variants/on_gpu/candidates.cuh"
#include "variants/elementwise/best.cuh"

/// Everything that z = x · y of n elements is put to: the libraries' calls, and our kernels in every shape
/// that has a chance.
namespace tune {

using tally_elementwise::Hint;
using tally_elementwise::Kernel;
using tally_elementwise::Next;
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

inline std::string name_of(const Kernel& kernel) {
  const auto hint = [](Hint h) { return h == Hint::none ? "n" : "e"; };
  const char* const next = kernel.next == Next::at_once       ? "at_once"
                           : kernel.next == Next::when_loaded ? "when_loaded"
                                                              : "when_stored";
  return std::string(kernel.way == Way::loads ? "loads" : "copies") + "/t" + std::to_string(kernel.threads) +
         "/u" + std::to_string(kernel.depth) + "/" + hint(kernel.loads) + hint(kernel.stores) + "/" + next;
}

template <Kernel kernel, typename T>
void add(std::vector<Candidate>& all, Question<T> q) {
  const std::int64_t tiles = q.n * static_cast<std::int64_t>(sizeof(T)) / kernel.tile_bytes();
  constexpr std::int64_t most_tiles = std::int64_t{1} << 22;
  if (tiles > most_tiles || (tiles < 1 && kernel.depth > 1)) return;
  all.push_back({name_of(kernel), [=](cudaStream_t stream) {
                   return tally_elementwise::detail::launch_kernel<kernel>(tally_elementwise::from(q.x, q.y),
                                                                           q.out, q.n, Multiply(), stream);
                 }});
}

template <Way way, Hint loads, Hint stores, Next next, typename T>
void add_shapes(std::vector<Candidate>& all, Question<T> q) {
  add<Kernel{way, 128, 1, loads, stores, next}>(all, q);
  add<Kernel{way, 256, 1, loads, stores, next}>(all, q);
  add<Kernel{way, 512, 1, loads, stores, next}>(all, q);
  add<Kernel{way, 1024, 1, loads, stores, next}>(all, q);
  add<Kernel{way, 128, 2, loads, stores, next}>(all, q);
  add<Kernel{way, 256, 2, loads, stores, next}>(all, q);
  add<Kernel{way, 512, 2, loads, stores, next}>(all, q);
  add<Kernel{way, 128, 4, loads, stores, next}>(all, q);
  add<Kernel{way, 256, 4, loads, stores, next}>(all, q);
}

template <typename T>
std::vector<Candidate> candidates_of(const Question<T>& q) {
  std::vector<Candidate> all;
  add_libraries(all, q);
  add<Kernel{Way::loads, 64, 1}>(all, q);
  add_shapes<Way::loads, Hint::none, Hint::none, Next::at_once>(all, q);
  add_shapes<Way::loads, Hint::none, Hint::none, Next::when_loaded>(all, q);
  add_shapes<Way::loads, Hint::none, Hint::none, Next::when_stored>(all, q);
  add_shapes<Way::loads, Hint::evict_first, Hint::none, Next::at_once>(all, q);
  add_shapes<Way::loads, Hint::evict_first, Hint::none, Next::when_loaded>(all, q);
  add<Kernel{Way::loads, 256, 2, Hint::none, Hint::evict_first, Next::at_once}>(all, q);
  add<Kernel{Way::loads, 256, 2, Hint::none, Hint::evict_first, Next::when_loaded}>(all, q);
  add<Kernel{Way::loads, 512, 2, Hint::none, Hint::evict_first, Next::when_loaded}>(all, q);
  add_shapes<Way::copies, Hint::none, Hint::none, Next::at_once>(all, q);
  add<Kernel{Way::copies, 1024, 1, Hint::none, Hint::none, Next::when_loaded}>(all, q);
  add<Kernel{Way::copies, 1024, 1, Hint::none, Hint::none, Next::when_stored}>(all, q);
  return all;
}

}  // namespace tune
