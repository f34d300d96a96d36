/// variants/convolve/best.cuh on a GPU: every kernel in every shape, with odd sizes, every alignment, more
/// taps than signal, guarded outputs; then best itself in graphs and in streams under load. Needs a Hopper
/// GPU, so it is no part of ./test.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I.
///        tests/variants/convolve_best/check_convolve.cu -o check_convolve
///   ./check_convolve [SEED]
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "shapes.cuh"
#include "tests/variants/reduce_best/timing.cuh"

namespace {

using namespace tune;
using tally_convolve::detail::Arrays;
using tally_convolve::detail::Complex;
using tally_convolve::detail::InStream;

long long checks = 0;
long long faults = 0;

void expect(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  if (++faults <= 40) std::printf("FAULT: %s\n", what.c_str());
}

template <typename T>
T* device_array(std::int64_t count) {
  T* array = nullptr;
  TUNE_REQUIRE(cudaMalloc(&array, static_cast<std::size_t>(count) * sizeof(T)));
  return array;
}

/// Integers of at most `limit`: so many products add up exactly in float.
template <typename T>
__global__ void fill(T* x, std::int64_t n, std::uint32_t seed, int limit) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    std::uint64_t h = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ull + seed;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
    x[i] = static_cast<T>(static_cast<int>((h >> 40) % static_cast<std::uint64_t>(2 * limit + 1)) - limit);
  }
}

/// The formula, one thread an output, in integers: shares nothing with what is tested.
template <typename T>
__global__ void exact(long long* sums, long long* magnitudes, const T* a, const T* b, std::int64_t n,
                      std::int64_t taps) {
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= n + taps - 1) return;
  long long sum = 0;
  long long magnitude = 0;
  for (std::int64_t m = 0; m < taps; ++m) {
    if (t - m < 0 || t - m >= n) continue;
    const auto term = static_cast<long long>(a[t - m]) * static_cast<long long>(b[m]);
    sum += term;
    magnitude += term < 0 ? -term : term;
  }
  sums[t] = sum;
  magnitudes[t] = magnitude;
}

/// found[0]: largest error, found[1]: largest Σ|terms|, as bits of a double; found[2]: NaNs.
template <typename T>
__global__ void compare(unsigned long long* found, const T* out, const long long* sums,
                        const long long* magnitudes, std::int64_t count) {
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const double error = fabs(static_cast<double>(out[t]) - static_cast<double>(sums[t]));
  if (!(error >= 0)) atomicAdd(found + 2, 1ull);
  if (error > 0) atomicMax(found, static_cast<unsigned long long>(__double_as_longlong(error)));
  atomicMax(found + 1,
            static_cast<unsigned long long>(__double_as_longlong(static_cast<double>(magnitudes[t]))));
}

unsigned blocks_for(std::int64_t count) { return static_cast<unsigned>((count + 255) / 256); }

constexpr std::int64_t guard = 64;
constexpr int poison = 0x77;

template <typename T>
class Checked {
 public:
  Checked(std::int64_t most, std::mt19937_64& random)
      : a_(device_array<T>(most + 8)),
        b_(device_array<T>(most + 8)),
        out_(device_array<T>(2 * most + 2 * guard + 8)),
        sums_(device_array<long long>(2 * most)),
        magnitudes_(device_array<long long>(2 * most)),
        found_(device_array<unsigned long long>(3)),
        random_(random) {
    fill<<<1056, 256>>>(a_, most + 8, static_cast<std::uint32_t>(random()), 8);
    fill<<<1056, 256>>>(b_, most + 8, static_cast<std::uint32_t>(random()), 8);
  }
  ~Checked() {
    for (void* memory :
         {static_cast<void*>(a_), static_cast<void*>(b_), static_cast<void*>(out_), static_cast<void*>(sums_),
          static_cast<void*>(magnitudes_), static_cast<void*>(found_)}) {
      TUNE_REQUIRE(cudaFree(memory));
    }
  }

  /// A problem at some alignment; run() then asks kernels for its answer.
  void pose(std::int64_t n, std::int64_t taps, bool aligned) {
    const auto offset = [&] { return aligned ? 0 : static_cast<std::int64_t>(random_() % 4); };
    arrays_ = {out_ + guard + offset(), a_ + offset(), b_ + offset(), n, taps};
    exact<<<blocks_for(arrays_.outputs()), 256>>>(sums_, magnitudes_, arrays_.a, arrays_.b, n, taps);
  }

  /// `allowed`: error in units of u · the largest Σ|terms|; 0 where every sum must be exact.
  void run(const std::string& name, double allowed, const std::function<void(const Arrays<T>&)>& call) {
    const std::int64_t count = arrays_.outputs();
    const std::string what =
        name + " n=" + std::to_string(arrays_.n) + " taps=" + std::to_string(arrays_.taps);
    T* const first = arrays_.out - guard;
    TUNE_REQUIRE(cudaMemset(first, poison, static_cast<std::size_t>(count + 2 * guard) * sizeof(T)));
    call(arrays_);
    TUNE_REQUIRE(cudaGetLastError());
    TUNE_REQUIRE(cudaMemset(found_, 0, 3 * sizeof(unsigned long long)));
    compare<<<blocks_for(count), 256>>>(found_, arrays_.out, sums_, magnitudes_, count);
    unsigned long long found[3];
    TUNE_REQUIRE(cudaMemcpy(found, found_, sizeof found, cudaMemcpyDeviceToHost));
    double error = 0;
    double most = 0;
    memcpy(&error, found, sizeof error);
    memcpy(&most, found + 1, sizeof most);
    const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
    const double units = most > 0 ? error / (unit * most) : error > 0 ? 1e30 : 0;
    expect(found[2] == 0 && units <= allowed, what + ": error of " + std::to_string(units) + " u·Σ|terms|, " +
                                                  std::to_string(found[2]) + " NaNs");
    if (allowed > 0 && units > worst) worst = units;
    std::vector<unsigned char> around(static_cast<std::size_t>(2 * guard) * sizeof(T));
    const std::size_t half = around.size() / 2;
    TUNE_REQUIRE(cudaMemcpy(around.data(), first, half, cudaMemcpyDeviceToHost));
    TUNE_REQUIRE(cudaMemcpy(around.data() + half, arrays_.out + count, half, cudaMemcpyDeviceToHost));
    bool kept = true;
    for (const unsigned char byte : around) kept = kept && byte == static_cast<unsigned char>(poison);
    expect(kept, what + ": wrote beside its output");
  }

  double worst = 0;  ///< of those that need not be exact

 private:
  T* a_;
  T* b_;
  T* out_;
  long long* sums_;
  long long* magnitudes_;
  unsigned long long* found_;
  std::mt19937_64& random_;
  Arrays<T> arrays_{};
};

constexpr double roundings_of_transforms = 4 * 12;

template <typename T>
void check_type(const char* type, const std::vector<std::int64_t>& sizes,
                const std::vector<std::int64_t>& taps_counts, bool all_shapes, std::mt19937_64& random) {
  const long long before = checks;
  std::int64_t most = 8192;
  for (const std::int64_t n : sizes) most = std::max(most, n);
  Checked<T> checked(most, random);
  auto* spectra = device_array<Complex<T>>(64 * tally_convolve::length);
  auto* storage = device_array<unsigned char>(4 << 20);
  for (const std::int64_t n : sizes) {
    for (const std::int64_t taps : taps_counts) {
      checked.pose(n, taps, (n + taps) % 3 == 0);
      const double allowed =
          roundings_of_transforms + tally_convolve::partitioning_of(std::min(n, taps)).partitions;
      if (all_shapes) {
        for_each_shape([&]<Direct shape>() {
          checked.run(name_of(shape), 0, [](const Arrays<T>& arrays) {
            cudaError_t launched = cudaSuccess;
            tally_convolve::detail::run_direct<shape>(arrays, InStream(nullptr, launched));
            TUNE_REQUIRE(launched);
          });
        });
      }
      checked.run("overlap_save", allowed, [&](const Arrays<T>& arrays) {
        cudaError_t launched = cudaSuccess;
        const Arrays<T> ordered = arrays.with_fewer_taps();
        tally_convolve::detail::run_overlap_save(
            ordered, spectra, tally_convolve::partitioning_of(ordered.taps), InStream(nullptr, launched));
        TUNE_REQUIRE(launched);
      });
      const bool in_spectra = tally_convolve::detail::is_for_overlap_save<T>(n + taps - 1, std::min(n, taps));
      checked.run("best", in_spectra ? allowed : 0, [&](const Arrays<T>& arrays) {
        std::size_t bytes = 0;
        TUNE_REQUIRE(
            tally_convolve::convolve(nullptr, bytes, arrays.a, arrays.n, arrays.b, arrays.taps, arrays.out));
        TUNE_REQUIRE(cudaMemset(storage, static_cast<int>(random() % 256), bytes + 3));
        TUNE_REQUIRE(tally_convolve::convolve(storage + 3, bytes, arrays.a, arrays.n, arrays.b, arrays.taps,
                                              arrays.out));
      });
      checked.run("best_direct", 0, [&](const Arrays<T>& arrays) {
        TUNE_REQUIRE(tally_convolve::convolve_direct(arrays.a, arrays.n, arrays.b, arrays.taps, arrays.out));
      });
    }
  }
  TUNE_REQUIRE(cudaFree(spectra));
  TUNE_REQUIRE(cudaFree(storage));
  std::printf("%s %s: %s, %lld checks, worst error through spectra %.2f u·Σ|terms|\n",
              faults == 0 ? "PASS" : "FAIL", type, all_shapes ? "all shapes" : "large", checks - before,
              checked.worst);
}

/// Calls in four streams at once, each a thousand times, must leave one bit pattern; and so must a graph.
void check_streams(std::mt19937_64& random) {
  const long long before = checks;
  constexpr int streams = 4;
  struct Lane {
    cudaStream_t stream{};
    float *a{}, *b{}, *out{};
    unsigned char* storage{};
  };
  constexpr std::int64_t n = 100003;
  constexpr std::int64_t most_taps = 5000;
  std::vector<Lane> lanes(streams);
  for (Lane& lane : lanes) {
    TUNE_REQUIRE(cudaStreamCreate(&lane.stream));
    lane.a = device_array<float>(n);
    lane.b = device_array<float>(most_taps);
    lane.out = device_array<float>(n + most_taps);
    lane.storage = device_array<unsigned char>(4 << 20);
    fill<<<132, 256>>>(lane.a, n, static_cast<std::uint32_t>(random()), 1000);
    fill<<<132, 256>>>(lane.b, most_taps, static_cast<std::uint32_t>(random()), 1000);
  }
  TUNE_REQUIRE(cudaDeviceSynchronize());
  const auto call = [&](const Lane& lane, std::int64_t taps) {
    std::size_t bytes = 4 << 20;
    TUNE_REQUIRE(
        tally_convolve::convolve(lane.storage, bytes, lane.a, n, lane.b, taps, lane.out, lane.stream));
  };
  const auto answer = [&](const Lane& lane, std::int64_t taps) {
    std::vector<float> host(static_cast<std::size_t>(n + taps - 1));
    TUNE_REQUIRE(cudaStreamSynchronize(lane.stream));
    TUNE_REQUIRE(cudaMemcpy(host.data(), lane.out, host.size() * sizeof(float), cudaMemcpyDeviceToHost));
    return host;
  };
  for (const std::int64_t taps : {5, 200, 2000, 5000}) {
    std::vector<std::vector<float>> alone;
    for (const Lane& lane : lanes) {
      call(lane, taps);
      alone.push_back(answer(lane, taps));
    }
    for (int round = 0; round < 10; ++round) {
      for (int launch = 0; launch < 25; ++launch) {
        for (const Lane& lane : lanes) call(lane, taps);
      }
      for (int i = 0; i < streams; ++i) {
        expect(answer(lanes[i], taps) == alone[i],
               "streams: other bits under load, taps=" + std::to_string(taps));
      }
    }
    cudaGraph_t graph{};
    cudaGraphExec_t instance{};
    const Lane& lane = lanes[0];
    TUNE_REQUIRE(cudaStreamBeginCapture(lane.stream, cudaStreamCaptureModeGlobal));
    call(lane, taps);
    TUNE_REQUIRE(cudaStreamEndCapture(lane.stream, &graph));
    TUNE_REQUIRE(cudaGraphInstantiate(&instance, graph, 0));
    for (int replay = 0; replay < 5; ++replay) {
      TUNE_REQUIRE(cudaMemsetAsync(lane.out, 0x77, (n + taps - 1) * sizeof(float), lane.stream));
      TUNE_REQUIRE(cudaGraphLaunch(instance, lane.stream));
      expect(answer(lane, taps) == alone[0], "graph: other bits, taps=" + std::to_string(taps));
    }
    TUNE_REQUIRE(cudaGraphExecDestroy(instance));
    TUNE_REQUIRE(cudaGraphDestroy(graph));
  }
  std::printf("%s streams and graphs: %lld checks\n", faults == 0 ? "PASS" : "FAIL", checks - before);
}

/// Errors and empty problems.
void check_contract() {
  const long long before = checks;
  float* x = device_array<float>(100000);
  std::size_t bytes = 0;
  TUNE_REQUIRE(tally_convolve::convolve<float>(nullptr, bytes, x, 50000, x, 8192, x));
  expect(bytes > 0, "contract: storage is never nothing");
  std::size_t little = 1;
  expect(tally_convolve::convolve<float>(x, little, x, std::int64_t{1} << 24, x, 8192, x) ==
             cudaErrorInvalidValue,
         "contract: too little storage is an error");
  expect(tally_convolve::convolve<float>(x, bytes, x, 0, x, 5, x) == cudaSuccess, "contract: n of 0");
  expect(tally_convolve::convolve<float>(x, bytes, x, 5, x, 0, x) == cudaSuccess, "contract: no taps");
  expect(tally_convolve::convolve_direct<float>(x, 0, x, 5, x) == cudaSuccess, "contract: direct, n of 0");
  TUNE_REQUIRE(cudaDeviceSynchronize());
  TUNE_REQUIRE(cudaFree(x));
  std::printf("%s contract: %lld checks\n", faults == 0 ? "PASS" : "FAIL", checks - before);
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t seed = count > 1 ? std::strtoull(arguments[1], nullptr, 0) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  const std::vector<std::int64_t> taps{1, 2, 3, 5, 17, 64, 255, 1000, 4096, 8192};
  const std::vector<std::int64_t> small{1, 2, 5, 33, 255, 1000, 4097, 65537};
  check_type<float>("float32", small, taps, true, random);
  check_type<double>("float64", small, taps, true, random);
  check_type<float>("float32", {(1 << 20) + 3, (1 << 23) + 1}, {3, 64, 1000, 2500}, false, random);
  check_type<double>("float64", {(1 << 20) + 3}, {3, 64, 1000, 2500}, false, random);
  check_streams(random);
  check_contract();
  std::printf("%s: %lld checks, %lld faults\n", faults == 0 ? "PASS" : "FAIL", checks, faults);
  return faults == 0 ? 0 : 1;
}
