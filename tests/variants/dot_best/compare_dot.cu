/// variants/dot/best.cuh beside cuBLAS and CUB for one type, cold and warm, aligned and not; with a fifth
/// argument also every kernel in every shape that has a chance, which best/tuned.h is made from.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. -DTUNE_TYPE=float -lcublas
///        tests/variants/dot_best/compare_dot.cu -o compare_float32
///   ./compare_float32 float32 10 28 results.jsonl [sweep]
#include <cublas_v2.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/zip_function.h>

#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <functional>
#include <string>
#include <vector>

#include "values.cuh"
#include "variants/dot/best.cuh"

namespace {

using namespace tune;
using T = TUNE_TYPE;
using A = tally_dot::Answer<T>;
using tally_dot::Kernel;
using tally_dot::Pairs;
using tally_dot::Plan;
using tally_dot::Row;
using tally_dot::Way;
namespace detail = tally_dot::detail;

struct Candidate {
  std::string name;
  std::function<void(cudaStream_t)> call;
  bool library = false;
  std::vector<double> microseconds = {};
};

struct Question {
  const T* x;
  const T* y;
  std::int64_t n;
  A* out;
  void* storage;
  std::size_t storage_bytes;
  int multiprocessors;
};

struct Product {
  __device__ A operator()(T x, T y) const { return static_cast<A>(x) * static_cast<A>(y); }
};

void require_cublas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  std::fprintf(stderr, "%s: %s\n", what, cublasGetStatusString(status));
  std::exit(1);
}

cublasStatus_t cublas_dot(cublasHandle_t cublas, int n, const float* x, const float* y, float* out) {
  return cublasSdot(cublas, n, x, 1, y, 1, out);
}
cublasStatus_t cublas_dot(cublasHandle_t cublas, int n, const double* x, const double* y, double* out) {
  return cublasDdot(cublas, n, x, 1, y, 1, out);
}
/// It answers in half: the lower two bytes of `out`.
cublasStatus_t cublas_dot(cublasHandle_t cublas, int n, const __half* x, const __half* y, float* out) {
  return cublasDotEx(cublas, n, x, CUDA_R_16F, 1, y, CUDA_R_16F, 1, out, CUDA_R_16F, CUDA_R_32F);
}

void add_libraries(std::vector<Candidate>& all, const Question& q, cublasHandle_t cublas) {
  const auto cub_with = [&](const char* name, auto n) {
    all.push_back({name,
                   [=](cudaStream_t stream) {
                     std::size_t bytes = q.storage_bytes;
                     TUNE_REQUIRE(cub::DeviceReduce::TransformReduce(
                         q.storage, bytes, thrust::make_zip_iterator(q.x, q.y), q.out, n,
                         cuda::std::plus<A>(), thrust::make_zip_function(Product()), A(0), stream));
                   },
                   true});
  };
  cub_with("cub", q.n);
  if (q.n < (std::int64_t{1} << 31)) cub_with("cub/int32", static_cast<int>(q.n));
  all.push_back({"cublas",
                 [=](cudaStream_t stream) {
                   require_cublas(cublasSetStream(cublas, stream), "cublasSetStream");
                   require_cublas(cublas_dot(cublas, static_cast<int>(q.n), q.x, q.y, q.out), "cuBLAS");
                 },
                 true});
}

/// A kernel in the shape that a row makes of it, where that is one the kernel can take and worth trying.
template <Kernel kernel>
void add_shape(std::vector<Candidate>& all, const Question& q, const std::string& name, int of_each = 0) {
  const Pairs pairs = tally_dot::pairs_of(q.x, q.y, q.n, kernel.boundary());
  const Plan plan =
      tally_reduce::plan_of({tally_dot::any_size, kernel, of_each}, pairs.x.words, q.multiprocessors);
  if (plan.tiles > kernel.most_tiles()) return;
  if (kernel.way == Way::tile_each && plan.tiles < 2) return;
  if (of_each > 0 && plan.blocks < of_each * q.multiprocessors) return;
  const detail::Call<T, A> call{pairs, plan, {static_cast<detail::Slot*>(q.storage)}, q.out, nullptr};
  all.push_back({name + (of_each > 0 ? "/m" + std::to_string(of_each) : ""), [=](cudaStream_t stream) {
                   detail::Call<T, A> queued = call;
                   queued.stream = stream;
                   TUNE_REQUIRE((detail::launch_kernel<T, A, kernel, false>(queued)));
                 }});
}

template <int Threads, int Loads>
void add_registers(std::vector<Candidate>& all, const Question& q) {
  const std::string shape = "/t" + std::to_string(Threads) + "/u" + std::to_string(Loads);
  const auto bytes = q.n * static_cast<std::int64_t>(sizeof(T));
  if (bytes <= (64 << 10)) add_shape<Kernel{Way::one_block, Threads, Loads}>(all, q, "one" + shape);
  if (bytes >= (8 << 10)) add_shape<Kernel{Way::tile_each, Threads, Loads}>(all, q, "each" + shape);
  if constexpr (Threads >= 256) {
    if (bytes < (1 << 20)) return;
    for (const int of_each : {1, 2, 3, 4, 6, 8}) {
      if (of_each * Threads > 2048) continue;
      add_shape<Kernel{Way::blocks, Threads, Loads}>(all, q, "blocks" + shape, of_each);
    }
  }
}

template <int Threads, int Stages, int StageKilobytes>
void add_bulk(std::vector<Candidate>& all, const Question& q, int of_each) {
  if (q.n * static_cast<std::int64_t>(sizeof(T)) < (8 << 20)) return;
  add_shape<Kernel{Way::copies, Threads, Stages, StageKilobytes * 1024}>(
      all, q,
      "bulk/t" + std::to_string(Threads) + "/s" + std::to_string(Stages) + "x" +
          std::to_string(StageKilobytes) + "K",
      of_each);
}

void add_sweep(std::vector<Candidate>& all, const Question& q) {
  add_registers<64, 2>(all, q);
  add_registers<64, 4>(all, q);
  add_registers<128, 1>(all, q);
  add_registers<128, 2>(all, q);
  add_registers<128, 4>(all, q);
  add_registers<256, 1>(all, q);
  add_registers<256, 2>(all, q);
  add_registers<256, 4>(all, q);
  add_registers<512, 1>(all, q);
  add_registers<512, 2>(all, q);
  add_registers<512, 4>(all, q);
  add_bulk<256, 6, 16>(all, q, 1);
  add_bulk<256, 12, 8>(all, q, 1);
  add_bulk<256, 3, 16>(all, q, 2);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: %s LABEL LOG2_SMALLEST LOG2_LARGEST JSON_LINES [sweep]\n", argv[0]);
    return 2;
  }
  const std::string label = argv[1];
  const int smallest = std::atoi(argv[2]);
  const int largest = std::atoi(argv[3]);
  const bool sweeps = argc > 5;
  std::FILE* json = std::fopen(argv[4], "a");
  Timer timer;
  cublasHandle_t cublas = nullptr;
  require_cublas(cublasCreate(&cublas), "cublasCreate");
  require_cublas(cublasSetPointerMode(cublas, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  const std::int64_t room = (std::int64_t{1} << largest) + 16;
  T* x = nullptr;
  T* y = nullptr;
  Question q{};
  q.storage_bytes = 4 << 20;
  TUNE_REQUIRE(cudaDeviceGetAttribute(&q.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
  TUNE_REQUIRE(cudaMalloc(&x, static_cast<std::size_t>(room) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&y, static_cast<std::size_t>(room) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&q.storage, q.storage_bytes));
  TUNE_REQUIRE(cudaMemset(q.storage, 0xa5, q.storage_bytes));
  TUNE_REQUIRE(cudaMalloc(&q.out, 16));
  fill<<<1056, 512>>>(x, room, 7u, 2);
  fill<<<1056, 512>>>(y, room, 8u, 2);

  struct Alignment {
    int of_x;
    int of_y;
  };
  for (const Alignment offset : {Alignment{0, 0}, Alignment{1, 1}, Alignment{0, 1}}) {
    const bool aligned = offset.of_x == 0 && offset.of_y == 0;
    if (sweeps && !aligned) continue;
    for (int bits = smallest; bits <= largest; bits += aligned ? 1 : 4) {
      q.n = std::int64_t{1} << bits;
      q.x = x + offset.of_x;
      q.y = y + offset.of_y;
      const auto bytes = 2 * q.n * static_cast<std::int64_t>(sizeof(T));
      const auto exact = static_cast<double>(exact_dot(q.x, q.y, q.n));
      std::vector<Candidate> all;
      add_libraries(all, q, cublas);
      all.push_back({"best", [=](cudaStream_t stream) {
                       std::size_t size = q.storage_bytes;
                       TUNE_REQUIRE(tally_dot::dot(q.storage, size, q.x, q.y, q.out, q.n, stream));
                     }});
      if (sweeps) add_sweep(all, q);
      for (const Candidate& candidate : all) {
        if (candidate.library) continue;
        TUNE_REQUIRE(cudaMemset(q.out, 0x77, sizeof(A)));
        candidate.call(nullptr);
        A got{};
        TUNE_REQUIRE(cudaMemcpy(&got, q.out, sizeof got, cudaMemcpyDeviceToHost));
        if (static_cast<double>(got) != exact) {
          std::printf("FAIL %s 2^%d %s: %f, expected %f\n", label.c_str(), bits, candidate.name.c_str(),
                      static_cast<double>(got), exact);
        }
      }
      for (const bool cold : {true, false}) {
        const int batch = cold ? 1 : bytes <= (16 << 20) ? 16 : bytes <= (256 << 20) ? 4 : 1;
        const int samples = sweeps                ? (bytes <= (64 << 20) ? 9 : 5)
                            : bytes <= (64 << 20) ? 41
                            : bytes <= (1 << 30)  ? 15
                                                  : 9;
        for (Candidate& candidate : all) candidate.microseconds.clear();
        for (int round = -1; round < samples; ++round) {
          for (Candidate& candidate : all) {
            const double us = timer.sample([&] { candidate.call(timer.stream()); }, cold, batch);
            if (round >= 0) candidate.microseconds.push_back(us);
          }
        }
        double library = 1e300;
        double best = 1e300;
        double fastest = 1e300;
        std::string name;
        for (const Candidate& candidate : all) {
          const double us = median(candidate.microseconds);
          if (candidate.library) library = std::min(library, us);
          if (candidate.name == "best") best = us;
          if (!candidate.library && us < fastest) {
            fastest = us;
            name = candidate.name;
          }
          std::fprintf(json,
                       "{\"type\":\"%s\",\"n\":%lld,\"of_x\":%d,\"of_y\":%d,\"cache\":\"%s\",\"sweep\":%s,"
                       "\"candidate\":\"%s\",\"us\":%.4f}\n",
                       label.c_str(), static_cast<long long>(q.n), offset.of_x, offset.of_y,
                       cold ? "cold" : "warm", sweeps ? "true" : "false", candidate.name.c_str(), us);
        }
        std::printf("%s 2^%d (%d,%d) %s best %.2f us, library/best %.3f, %.0f GB/s", label.c_str(), bits,
                    offset.of_x, offset.of_y, cold ? "cold" : "warm", best, library / best,
                    static_cast<double>(bytes) / best * 1e-3);
        if (sweeps) std::printf(", fastest %s %.2f", name.c_str(), fastest);
        std::printf("\n");
      }
    }
  }
  std::fclose(json);
  return 0;
}
