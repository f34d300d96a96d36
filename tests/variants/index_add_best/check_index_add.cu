/// variants/index_add/best.cuh on a GPU: every type, odd shapes, every way and any duplicates against exact
/// sums, what is around x untouched. Needs a GPU, so it is no part of ./test (the harness's tests run the
/// same kernels on the CPU executor).
///
///   cmake --build build/cuda --target check_index_add && build/cuda/check_index_add [SEED]
#include "tasks.cuh"
#include "tests/variants/on_gpu/checks.cuh"

namespace {

using namespace tune;
using tally_index_add::Contention;

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
  const DeviceArray<T> memory_x(elements + 2 * around + offset);
  const DeviceArray<T> memory_source(of_source + offset);
  const DeviceArray<Index> memory_index(e.n);
  const DeviceArray<long long> exact(elements);
  const DeviceArray<unsigned long long> differences(1);
  T* const x = memory_x.get();
  T* const source = memory_source.get();
  Index* const index = memory_index.get();
  fill<<<264, 256>>>(source + offset, of_source, static_cast<std::uint32_t>(random()), 1);
  draw_indices<<<264, 256>>>(index, e.n, e.rows, distinct, random() % 2 == 0);
  exact.set_bytes(0);
  exact_add<<<264, 256>>>(exact.get(), index, source + offset, e, alpha);
  const auto with = [&](const char* way, auto call) {
    T* inner = x + offset + around;
    set_all<<<264, 256>>>(x, elements + 2 * around + offset, untouched);
    set_all<<<264, 256>>>(inner, elements, 0.0f);
    differences.set_bytes(0);
    TUNE_REQUIRE(call(inner));
    compare<<<264, 256>>>(x + offset, exact.get(), elements, differences.get());
    const unsigned long long found = differences.to_host()[0];
    expect(found == 0, type + " " + way + " n=" + std::to_string(e.n) + " rows=" + std::to_string(e.rows) +
                           " width=" + std::to_string(e.width) + " planes=" + std::to_string(e.planes) +
                           " distinct=" + std::to_string(distinct) + " alpha=" + std::to_string(alpha) +
                           " offset=" + std::to_string(offset) + ": " + std::to_string(found) + " differ");
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
}

/// Halves hold sums up to 2048: those of all the same stay below, being of -1, 0 and 1, near 0.
template <typename T, typename Index>
void check_type(const std::string& type, std::mt19937_64& random) {
  const Section section(type);
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
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random = random_of(argc, argv);
  check_type<float, std::int32_t>("float32 by int32", random);
  check_type<float, std::int64_t>("float32 by int64", random);
  check_type<double, std::int64_t>("float64 by int64", random);
  check_type<__half, std::int32_t>("float16 by int32", random);
  return verdict("check_index_add");
}
