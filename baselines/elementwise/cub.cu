/// CUB's transform, which asks for its inputs ahead of their use (by bulk copies where the GPU has them).
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"

#if defined(__CUDACC__)
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
template <typename T, typename Op>
auto inputs_of(const Elementwise<T, Op>& p) {
  if constexpr (Op::inputs == 1) return cuda::std::make_tuple(p.x);
  if constexpr (Op::inputs == 2) return cuda::std::make_tuple(p.x, p.y);
  if constexpr (Op::inputs == 3) return cuda::std::make_tuple(p.x, p.y, p.z);
}

template <typename T, typename Op>
void transform(const Elementwise<T, Op>& p, cudaStream_t stream) {
  require(cub::DeviceTransform::Transform(inputs_of(p), p.out, p.n, p.op, stream),
          "cub::DeviceTransform::Transform");
}

/// CUB 3.0 sizes its tiles in the first call of a process and keeps that size for all later ones, of whatever
/// n: after a first call of a few elements a large array takes nearly three times as long (2^28 halves on an
/// H200, 1,033 µs in place of 376). The checks begin with one element, so a larger call comes before them.
template <typename T, typename Op>
void make_first_call_with_many_elements() {
  static const bool made = [] {
    constexpr std::int64_t enough = 1 << 16;  // more than the largest tile
    T* array = nullptr;
    require(cudaMalloc(&array, enough * sizeof(T)), "cudaMalloc(first call of cub::DeviceTransform)");
    transform(Elementwise<T, Op>{array, array, array, array, enough, {}}, nullptr);
    require(cudaStreamSynchronize(nullptr), "first call of cub::DeviceTransform");
    require(cudaFree(array), "cudaFree");
    return true;
  }();
  static_cast<void>(made);
}
#endif

TALLY_BASELINE(Elementwise, cub, transform)
    .lesson("cub::DeviceTransform::Transform over a tuple of the inputs, its tiles sized for large arrays.")
    .source("CUB, part of CCCL")
    .types<float, double, half, bfloat16>()
    .not_on(DeviceKind::simt, "CUB needs CUDA")
    .not_on(DeviceKind::host, "CUB needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T, typename Op>(Elementwise<T, Op> p, const Tuning&, Scratch&) {
      make_first_call_with_many_elements<T, Op>();
      return [=](Queue& q) { transform(p, q.stream()); };
    }));

}  // namespace
}  // namespace tally
