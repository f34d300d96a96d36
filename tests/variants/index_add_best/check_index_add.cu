/// variants/index_add/best.cuh on a GPU: every type, odd shapes, every way and any duplicates against exact
/// sums, what is around x untouched. Needs a GPU, so it is no part of ./test (the harness's tests run the
/// same kernels on the CPU executor).
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I.
///   tests/variants/index_add_best/check_index_add.cu -o check_index_add
///   ./check_index_add [SEED]
#include <random>
#include <string>
#include <vector>

#include "tasks.cuh"

namespace {

using namespace tune;
using tally_index_add::Contention;

long long checks = 0;
long long faults = 0;

constexpr int around = 16;  // elements before and behind x, which keep their value
constexpr float untouched = 77;

/// 64-bit sums of small integers, by another kernel.
template <typename T, typename Index>
__global__ void exact_add(long long* x, const Index* index, const T* source, Extents e, int alpha) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < e.planes * e.n * e.width; i += stride) {
    const std::int64_t c = i % e.width;
    const std::int64_t along = i / e.width % e.n;
    const std::int64_t plane = i / e.width / e.n;
    const auto term = static_cast<long long>(static_cast<float>(source[i])) * alpha;
    atomicAdd(reinterpret_cast<unsigned long long*>(x) + (plane * e.rows + index[along]) * e.width + c,
              static_cast<unsigned long long>(term));
  }
}

template <typename T>
__global__ void compare(const T* x, const long long* exact, std::int64_t elements,
                        unsigned long long* differences) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < elements + 2 * around; i += stride) {
    const bool outside = i < around || i >= elements + around;
    const auto expected = outside ? static_cast<double>(untouched) : static_cast<double>(exact[i - around]);
    if (static_cast<double>(static_cast<float>(x[i])) != expected) atomicAdd(differences, 1ull);
  }
}

template <typename T>
__global__ void set_all(T* x, std::int64_t n, float value) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(value);
  }
}

template <typename T, typename Index>
void check_one(const Extents& e, std::int64_t distinct, int alpha, int offset, std::mt19937_64& random,
               const std::string& type) {
  const std::int64_t elements = e.planes * e.rows * e.width;
  const std::int64_t of_source = e.planes * e.n * e.width;
  T* x = nullptr;
  T* source = nullptr;
  Index* index = nullptr;
  long long* exact = nullptr;
  unsigned long long* differences = nullptr;
  TUNE_REQUIRE(cudaMalloc(&x, static_cast<std::size_t>(elements + 2 * around + offset) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&source, static_cast<std::size_t>(of_source + offset) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&index, static_cast<std::size_t>(e.n) * sizeof(Index)));
  TUNE_REQUIRE(cudaMalloc(&exact, static_cast<std::size_t>(elements) * sizeof(long long)));
  TUNE_REQUIRE(cudaMalloc(&differences, sizeof *differences));
  fill<<<264, 256>>>(source + offset, of_source, static_cast<std::uint32_t>(random()), 1);
  draw_indices<<<264, 256>>>(index, e.n, e.rows, distinct, random() % 2 == 0);
  TUNE_REQUIRE(cudaMemset(exact, 0, static_cast<std::size_t>(elements) * sizeof(long long)));
  exact_add<<<264, 256>>>(exact, index, source + offset, e, alpha);
  const auto with = [&](const char* way, auto call) {
    T* inner = x + offset + around;
    set_all<<<264, 256>>>(x, elements + 2 * around + offset, untouched);
    set_all<<<264, 256>>>(inner, elements, 0.0f);
    TUNE_REQUIRE(cudaMemset(differences, 0, sizeof *differences));
    TUNE_REQUIRE(call(inner));
    compare<<<264, 256>>>(x + offset, exact, elements, differences);
    unsigned long long found = 0;
    TUNE_REQUIRE(cudaMemcpy(&found, differences, sizeof found, cudaMemcpyDeviceToHost));
    ++checks;
    if (found != 0 && ++faults <= 40) {
      std::printf(
          "FAULT: %s %s n=%lld rows=%lld width=%lld planes=%lld distinct=%lld alpha=%d offset=%d: %llu differ\n",
          type.c_str(), way, static_cast<long long>(e.n), static_cast<long long>(e.rows),
          static_cast<long long>(e.width), static_cast<long long>(e.planes), static_cast<long long>(distinct),
          alpha, offset, found);
    }
  };
  const auto way = [&]<Contention contention>() {
    return [&](T* to) {
      return tally_index_add::detail::index_add<contention>(
          tally_index_add::Task<T, Index, tally_index_add::Accumulator<T>>{
              to, index, source + offset, e.n, e.rows, e.width, e.planes,
              static_cast<tally_index_add::Accumulator<T>>(alpha)},
          cudaStream_t{});
    };
  };
  with("best", [&](T* to) {
    return tally_index_add::index_add(to, index, source + offset, e,
                                      static_cast<tally_index_add::Accumulator<T>>(alpha));
  });
  with("ignored", way.template operator()<Contention::ignored>());
  with("by warp", way.template operator()<Contention::by_warp>());
  with("by block", way.template operator()<Contention::by_block>());
  for (void* memory : {static_cast<void*>(x), static_cast<void*>(source), static_cast<void*>(index),
                       static_cast<void*>(exact), static_cast<void*>(differences)})
    TUNE_REQUIRE(cudaFree(memory));
}

/// Halves hold sums up to 2048: those of all the same stay below, being of -1, 0 and 1, near 0.
template <typename T, typename Index>
void check_type(const std::string& type, std::mt19937_64& random) {
  const long long before = checks;
  for (const std::int64_t width : {1, 2, 3, 4, 5, 8, 12, 16, 31, 32, 33, 63, 64, 66, 128, 200, 256, 520}) {
    for (const std::int64_t n : {1, 2, 7, 31, 33, 257, 1009, 8192, 40001}) {
      if (n * width > 3'000'000) continue;
      for (const std::int64_t distinct :
           {std::int64_t{1}, std::int64_t{2}, std::int64_t{5}, std::int64_t{40}, n / 3 + 1, n}) {
        const Extents e{n, n + static_cast<std::int64_t>(random() % 50) + 3, width};
        check_one<T, Index>(e, distinct, 1, static_cast<int>(random() % 3), random, type);
      }
    }
  }
  for (const std::int64_t planes : {2, 5, 300}) {
    for (const std::int64_t width : {1, 6, 64}) {
      for (const std::int64_t distinct : {1, 9, 2000}) {
        check_one<T, Index>({2003, 2500, width, planes}, distinct, -2, 0, random, type);
      }
    }
  }
  std::printf("%s: %lld checks\n", type.c_str(), checks - before);
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  check_type<float, std::int32_t>("float32 by int32", random);
  check_type<float, std::int64_t>("float32 by int64", random);
  check_type<double, std::int64_t>("float64 by int64", random);
  check_type<__half, std::int32_t>("float16 by int32", random);
  std::printf("check_index_add: %lld checks, %lld faults: %s\n", checks, faults,
              faults == 0 ? "PASS" : "FAIL");
  return faults == 0 ? 0 : 1;
}
