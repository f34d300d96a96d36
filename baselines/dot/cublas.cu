/// cuBLAS: Dot, and DotEx for halves, which adds up in float32 and answers in half.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/dot.h"

#if defined(__CUDACC__)
#include <cublas_v2.h>

#include <memory>
#endif

namespace tally {
namespace {

#if defined(__CUDACC__)
void require_cublas(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw DeviceError(std::string(call) + ": " + cublasGetStatusString(status));
}

std::shared_ptr<cublasContext> cublas_that_answers_on_the_device() {
  cublasHandle_t handle = nullptr;
  require_cublas(cublasCreate(&handle), "cublasCreate");
  std::shared_ptr<cublasContext> owner(handle, [](cublasHandle_t h) { cublasDestroy(h); });
  require_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  return owner;
}
#endif

/// Threads add up their share, and then trees: no share is longer than this.
double additions_of_trees(const ProblemKey& key, const Tuning&) {
  constexpr double fewest_threads = 4096;
  return 256 + static_cast<double>(key.n) / fewest_threads;
}

TALLY_BASELINE(Dot, cublas, dot)
    .lesson("cublasSdot and cublasDdot.")
    .source("cuBLAS")
    .types<float, double>()
    .needs("needs n below 2^31",
           [](const ProblemKey& key, const Tuning&) { return key.n < (std::int64_t{1} << 31); })
    .additions(additions_of_trees)
    .not_on(DeviceKind::simt, "cuBLAS needs CUDA")
    .not_on(DeviceKind::host, "cuBLAS needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Dot<T, T> p, const Tuning&, Scratch&) {
      return [=, cublas = cublas_that_answers_on_the_device()](Queue& q) {
        require_cublas(cublasSetStream(cublas.get(), q.stream()), "cublasSetStream");
        const int n = static_cast<int>(p.n);
        if constexpr (sizeof(T) == 4) {
          require_cublas(cublasSdot(cublas.get(), n, p.x, 1, p.y, 1, p.out), "cublasSdot");
        } else {
          require_cublas(cublasDdot(cublas.get(), n, p.x, 1, p.y, 1, p.out), "cublasDdot");
        }
      };
    }));

TALLY_BASELINE(Dot, cublas, dot_ex)
    .lesson("cublasDotEx: halves in, float32 sums, a half out.")
    .source("cuBLAS")
    .types<half>()
    .knob("accumulate", {"own"})
    .needs("needs n below 2^31",
           [](const ProblemKey& key, const Tuning&) { return key.n < (std::int64_t{1} << 31); })
    .additions(additions_of_trees)
    .not_on(DeviceKind::simt, "cuBLAS needs CUDA")
    .not_on(DeviceKind::host, "cuBLAS needs CUDA")
    TALLY_ON_CUDA(.prepare([](Dot<half, half> p, const Tuning&, Scratch&) {
      return [=, cublas = cublas_that_answers_on_the_device()](Queue& q) {
        require_cublas(cublasSetStream(cublas.get(), q.stream()), "cublasSetStream");
        require_cublas(cublasDotEx(cublas.get(), static_cast<int>(p.n), p.x, CUDA_R_16F, 1, p.y, CUDA_R_16F,
                                   1, p.out, CUDA_R_16F, CUDA_R_32F),
                       "cublasDotEx");
      };
    }));

}  // namespace
}  // namespace tally
