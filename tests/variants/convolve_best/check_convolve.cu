/// variants/convolve/best.cuh on a GPU: every kernel in every shape, with odd sizes, every alignment, more
/// taps than signal, guarded outputs; then best itself in graphs and in streams under load. Needs a Hopper
/// GPU, so it is no part of ./test.
///
///   cmake --build build/cuda --target check_convolve && build/cuda/check_convolve [SEED]
#include <bit>
#include <functional>

#include "shapes.cuh"
#include "tests/variants/on_gpu/checks.cuh"

namespace {

using namespace tune;
using tally_convolve::detail::Arrays;
using tally_convolve::detail::Complex;
using tally_convolve::detail::InStream;

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
      : a_(most + 8),
        b_(most + 8),
        out_(2 * most + 2 * guard + 8),
        sums_(2 * most),
        magnitudes_(2 * most),
        found_(3),
        random_(random) {
    fill<<<1056, 256>>>(a_.get(), most + 8, static_cast<std::uint32_t>(random()), 8);
    fill<<<1056, 256>>>(b_.get(), most + 8, static_cast<std::uint32_t>(random()), 8);
  }

  /// A problem at some alignment; run() then asks kernels for its answer.
  void pose(std::int64_t n, std::int64_t taps, bool aligned) {
    const auto offset = [&] { return aligned ? 0 : static_cast<std::int64_t>(random_() % 4); };
    arrays_ = {out_.get() + guard + offset(), a_.get() + offset(), b_.get() + offset(), n, taps};
    exact<<<blocks_for(arrays_.outputs()), 256>>>(sums_.get(), magnitudes_.get(), arrays_.a, arrays_.b, n,
                                                  taps);
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
    found_.set_bytes(0);
    compare<<<blocks_for(count), 256>>>(found_.get(), arrays_.out, sums_.get(), magnitudes_.get(), count);
    const std::vector<unsigned long long> found = found_.to_host();
    const auto error = std::bit_cast<double>(found[0]);
    const auto most = std::bit_cast<double>(found[1]);
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
  DeviceArray<T> a_;
  DeviceArray<T> b_;
  DeviceArray<T> out_;
  DeviceArray<long long> sums_;
  DeviceArray<long long> magnitudes_;
  DeviceArray<unsigned long long> found_;
  std::mt19937_64& random_;
  Arrays<T> arrays_{};
};

constexpr double roundings_of_transforms = 4 * 12;

template <typename T>
void check_type(const char* type, const std::vector<std::int64_t>& sizes,
                const std::vector<std::int64_t>& taps_counts, bool all_shapes, std::mt19937_64& random) {
  const Section section(std::string(type) + (all_shapes ? ", all shapes" : ", large"));
  std::int64_t most = 8192;
  for (const std::int64_t n : sizes) most = std::max(most, n);
  Checked<T> checked(most, random);
  const DeviceArray<Complex<T>> spectra(64 * tally_convolve::length);
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
        tally_convolve::detail::run_overlap_save(ordered, spectra.get(),
                                                 tally_convolve::partitioning_of(ordered.taps),
                                                 InStream(nullptr, launched));
        TUNE_REQUIRE(launched);
      });
      const bool in_spectra = tally_convolve::detail::is_for_overlap_save<T>(n + taps - 1, std::min(n, taps));
      checked.run("best", in_spectra ? allowed : 0, [&](const Arrays<T>& arrays) {
        std::size_t bytes = 0;
        TUNE_REQUIRE(
            tally_convolve::convolve(nullptr, bytes, arrays.a, arrays.n, arrays.b, arrays.taps, arrays.out));
        const Storage storage(bytes, static_cast<int>(random() % 256));
        TUNE_REQUIRE(tally_convolve::convolve(storage.get(), bytes, arrays.a, arrays.n, arrays.b, arrays.taps,
                                              arrays.out));
      });
      checked.run("best_direct", 0, [&](const Arrays<T>& arrays) {
        TUNE_REQUIRE(tally_convolve::convolve_direct(arrays.a, arrays.n, arrays.b, arrays.taps, arrays.out));
      });
    }
  }
  std::printf("%s: worst error through spectra %.2f u·Σ|terms|\n", type, checked.worst);
}

constexpr std::int64_t signal_of_a_lane = 100003;
constexpr std::int64_t most_taps_of_a_lane = 5000;

/// What a stream works with.
struct Lane {
  explicit Lane(std::mt19937_64& random) {
    fill<<<132, 256>>>(a.get(), signal_of_a_lane, static_cast<std::uint32_t>(random()), 1000);
    fill<<<132, 256>>>(b.get(), most_taps_of_a_lane, static_cast<std::uint32_t>(random()), 1000);
  }

  void call(std::int64_t taps) const {
    std::size_t bytes = storage.bytes();
    TUNE_REQUIRE(tally_convolve::convolve(storage.get(), bytes, a.get(), signal_of_a_lane, b.get(), taps,
                                          out.get(), stream));
  }
  std::vector<float> answer(std::int64_t taps) const {
    std::vector<float> host = out.to_host();
    host.resize(static_cast<std::size_t>(signal_of_a_lane + taps - 1));
    return host;
  }

  Stream stream;
  DeviceArray<float> a{signal_of_a_lane};
  DeviceArray<float> b{most_taps_of_a_lane};
  DeviceArray<float> out{signal_of_a_lane + most_taps_of_a_lane};
  Storage storage{4 << 20};
};

/// Calls in four streams at once, each a thousand times, must leave one bit pattern; and so must a graph.
void check_streams(std::mt19937_64& random) {
  const Section section("streams and graphs");
  std::vector<std::unique_ptr<Lane>> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(std::make_unique<Lane>(random));
  TUNE_REQUIRE(cudaDeviceSynchronize());
  for (const std::int64_t taps : {5, 200, 2000, 5000}) {
    std::vector<std::vector<float>> alone;
    for (const auto& lane : lanes) {
      lane->call(taps);
      alone.push_back(lane->answer(taps));
    }
    for (int round = 0; round < 10; ++round) {
      for (int launch = 0; launch < 25; ++launch) {
        for (const auto& lane : lanes) lane->call(taps);
      }
      for (std::size_t i = 0; i < lanes.size(); ++i) {
        expect(lanes[i]->answer(taps) == alone[i],
               "streams: other bits under load, taps=" + std::to_string(taps));
      }
    }
    const Lane& lane = *lanes[0];
    const Replay replay(lane.stream, [&] { lane.call(taps); });
    for (int round = 0; round < 5; ++round) {
      TUNE_REQUIRE(cudaMemsetAsync(lane.out.get(), 0x77, lane.out.bytes(), lane.stream));
      replay.run();
      expect(lane.answer(taps) == alone[0], "graph: other bits, taps=" + std::to_string(taps));
    }
  }
}

/// Errors and empty problems.
void check_contract() {
  const Section section("contract");
  const DeviceArray<float> memory(100000);
  float* const x = memory.get();
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
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random = random_of(argc, argv);
  const std::vector<std::int64_t> taps{1, 2, 3, 5, 17, 64, 255, 1000, 4096, 8192};
  const std::vector<std::int64_t> small{1, 2, 5, 33, 255, 1000, 4097, 65537};
  check_type<float>("float32", small, taps, true, random);
  check_type<double>("float64", small, taps, true, random);
  check_type<float>("float32", {(1 << 20) + 3, (1 << 23) + 1}, {3, 64, 1000, 2500}, false, random);
  check_type<double>("float64", {(1 << 20) + 3}, {3, 64, 1000, 2500}, false, random);
  check_streams(random);
  check_contract();
  return verdict("check_convolve");
}
