/// cuBLAS has no plain sum; its sum of magnitudes is one where no element is negative.
#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/reduce.h"

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

TALLY_BASELINE(Reduce, cublas, asum)
    .lesson("cublasSasum and cublasDasum: the sum of magnitudes, which is the sum where nothing is negative.")
    .source("cuBLAS")
    .types<float, double>()
    .knob("op", {"sum"})
    .needs("needs elements that are never negative",
           [](const ProblemKey& key, const Tuning&) {
             return key.distribution == Distribution::uniform ||
                    key.distribution == Distribution::wide_exponents;
           })
    .needs("needs n below 2^31",
           [](const ProblemKey& key, const Tuning&) { return key.n < (std::int64_t{1} << 31); })
    .not_on(DeviceKind::simt, "cuBLAS needs CUDA")
    .not_on(DeviceKind::host, "cuBLAS needs CUDA")
    TALLY_ON_CUDA(.prepare([]<typename T>(Reduce<T, Sum<T>> problem, const Tuning&, Scratch&) {
      return [=, cublas = cublas_that_answers_on_the_device()](Queue& q) {
        require_cublas(cublasSetStream(cublas.get(), q.stream()), "cublasSetStream");
        const int n = static_cast<int>(problem.n);
        if constexpr (sizeof(T) == 4) {
          require_cublas(cublasSasum(cublas.get(), n, problem.x, 1, problem.out), "cublasSasum");
        } else {
          require_cublas(cublasDasum(cublas.get(), n, problem.x, 1, problem.out), "cublasDasum");
        }
      };
    }));

}  // namespace
}  // namespace tally
