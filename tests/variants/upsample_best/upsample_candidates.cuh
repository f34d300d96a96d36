#pragma once

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/tabulate.h>
#include <cub/device/device_for.cuh>
#include <cub/device/device_transform.cuh>

#include "harness/problems/upsample_nearest2x.h"
#include "tests/variants/on_gpu/candidates.cuh"
#include "variants/upsample_nearest2x/best.cuh"

/// Everything that one direction for one image of height · width elements is put to: the libraries' calls,
/// and our kernels in every shape that has a chance.
namespace tune {

using tally_upsample::Hint;
using tally_upsample::Images;
using tally_upsample::Kernel;

template <typename T>
struct Question {
  const T* in;
  T* out;
  std::int64_t height;
  std::int64_t width;

  std::int64_t elements() const { return height * width; }
  Images images() const { return {height, width, static_cast<int>(sizeof(T))}; }
};

/// An element of the output from its index, as the baselines find it.
template <typename T, bool forward, typename Index>
struct Element {
  const T* in;
  Index width;
  __device__ T operator()(Index output) const {
    if constexpr (forward) {
      return in[tally::element_behind(output, width)];
    } else {
      const T* upper = in + tally::corner_of_square(output, width);
      const T* lower = upper + 2 * width;
      return upper[0] + upper[1] + lower[0] + lower[1];
    }
  }
};

template <typename T, typename Function>
struct Store {
  T* out;
  Function function;
  template <typename Index>
  __device__ void operator()(Index output) const {
    out[output] = function(output);
  }
};

/// With 32-bit indices, which suffice for all sizes that are measured.
template <bool forward, typename T>
void add_libraries(std::vector<Candidate>& all, Question<T> q) {
  using Function = Element<T, forward, std::int32_t>;
  const Function function{q.in, static_cast<std::int32_t>(q.width)};
  const auto outputs = static_cast<std::int32_t>(forward ? 4 * q.elements() : q.elements());
  all.push_back({"thrust_tabulate",
                 [=](cudaStream_t stream) {
                   thrust::tabulate(thrust::cuda::par_nosync.on(stream), q.out, q.out + outputs, function);
                   return cudaGetLastError();
                 },
                 true});
  all.push_back({"cub_transform",
                 [=](cudaStream_t stream) {
                   return cub::DeviceTransform::Transform(thrust::counting_iterator<std::int32_t>(0), q.out,
                                                          outputs, function, stream);
                 },
                 true});
  all.push_back({"cub_for",
                 [=](cudaStream_t stream) {
                   return cub::DeviceFor::Bulk(outputs, Store<T, Function>{q.out, function}, stream);
                 },
                 true});
}

inline std::string name_of(const Kernel& kernel) {
  const auto hint = [](Hint h) { return h == Hint::none ? "n" : "e"; };
  return "loads/t" + std::to_string(kernel.threads) + "/u" + std::to_string(kernel.depth) + "/p" +
         std::to_string(kernel.most_piece) + "/" + hint(kernel.loads) + hint(kernel.stores);
}

template <bool forward, Kernel kernel, typename T>
void add(std::vector<Candidate>& all, Question<T> q) {
  const std::int64_t pieces = q.elements() * static_cast<std::int64_t>(sizeof(T)) / kernel.most_piece;
  if (kernel.depth > 1 && pieces < kernel.tile_pieces()) return;
  all.push_back({name_of(kernel), [=](cudaStream_t stream) {
                   return tally_upsample::detail::launch_kernel<T, forward, kernel>(q.images(), q.in, q.out,
                                                                                    stream);
                 }});
}

template <bool forward, int piece, Hint loads, Hint stores, typename T>
void add_tiles(std::vector<Candidate>& all, Question<T> q) {
  add<forward, Kernel{128, 1, piece, loads, stores}>(all, q);
  add<forward, Kernel{256, 1, piece, loads, stores}>(all, q);
  add<forward, Kernel{128, 2, piece, loads, stores}>(all, q);
  add<forward, Kernel{256, 2, piece, loads, stores}>(all, q);
  add<forward, Kernel{128, 4, piece, loads, stores}>(all, q);
  add<forward, Kernel{256, 4, piece, loads, stores}>(all, q);
}

template <bool forward, typename T>
std::vector<Candidate> candidates_of(const Question<T>& q) {
  constexpr Hint none = Hint::none;
  constexpr Hint early = Hint::evict_first;
  std::vector<Candidate> all;
  add_libraries<forward>(all, q);
  add<forward, Kernel{32, 1, 8, none, none}>(all, q);
  add<forward, Kernel{64, 1, 8, none, none}>(all, q);
  add<forward, Kernel{512, 1, 8, none, none}>(all, q);
  add<forward, Kernel{1024, 1, 8, none, none}>(all, q);
  add<forward, Kernel{64, 1, 4, none, none}>(all, q);
  add<forward, Kernel{256, 1, 4, none, none}>(all, q);
  add_tiles<forward, 8, none, none>(all, q);
  add_tiles<forward, 8, early, none>(all, q);
  add<forward, Kernel{256, 1, 8, none, early}>(all, q);
  add<forward, Kernel{256, 4, 8, none, early}>(all, q);
  add<forward, Kernel{256, 2, 8, early, early}>(all, q);
  add<forward, Kernel{128, 1, 16, none, none}>(all, q);
  add<forward, Kernel{256, 1, 16, none, none}>(all, q);
  add<forward, Kernel{256, 2, 16, none, none}>(all, q);
  return all;
}

}  // namespace tune
