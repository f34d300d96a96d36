/// Times every kernel of variants/convolve/best/ in every shape, best itself, thrust::tabulate and cuFFT,
/// cold, samples interleaved, for n = 2^12 … 2^24 and 3 … 8192 taps; one JSON row a candidate and cell.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr --extended-lambda -I. -DTUNE_TYPE=float
///        tests/variants/convolve_best/sweep_convolve.cu -lcufft -o sweep_float32
///   ./sweep_float32 float32 OUTPUT.jsonl [SECONDS [without_cufft]]
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "libraries.cuh"
#include "shapes.cuh"

#ifndef TUNE_TYPE
#define TUNE_TYPE float
#endif

namespace {

using namespace tune;
using T = TUNE_TYPE;
using tally_convolve::detail::Arrays;
using tally_convolve::detail::Complex;
using tally_convolve::detail::InStream;

struct Candidate {
  std::string name;
  std::function<void()> call;
  std::vector<double> samples;
};

/// Multiplications and additions and nothing else: eight chains a thread, from registers.
template <typename A>
__global__ void only_multiply(A* out, A factor, int rounds) {
  A sum[8];
  for (int k = 0; k < 8; ++k) sum[k] = static_cast<A>(threadIdx.x + k);
  for (int i = 0; i < rounds; ++i) {
#pragma unroll
    for (int repeat = 0; repeat < 16; ++repeat) {
#pragma unroll
      for (int k = 0; k < 8; ++k) sum[k] = sum[k] * factor + factor;
    }
  }
  A total = 0;
  for (int k = 0; k < 8; ++k) total += sum[k];
  if (total == A(12345)) out[0] = total;
}

class Sweep {
 public:
  Sweep(std::string type, const char* output, bool with_cufft)
      : type_(std::move(type)), file_(std::fopen(output, "w")), with_cufft_(with_cufft) {
    if (file_ == nullptr) {
      std::fprintf(stderr, "cannot write %s\n", output);
      std::exit(2);
    }
    const auto allocate = [](auto*& array, std::int64_t count) {
      TUNE_REQUIRE(cudaMalloc(&array, static_cast<std::size_t>(count) * sizeof(*array)));
    };
    allocate(a_, most_n);
    allocate(b_, most_taps);
    allocate(out_, most_n + most_taps);
    allocate(spectra_, std::int64_t{64} * tally_convolve::length);
    std::mt19937 random(20240229);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> host(static_cast<std::size_t>(most_n));
    for (T& value : host) value = uniform(random);
    TUNE_REQUIRE(cudaMemcpy(a_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    for (T& value : host) value = uniform(random);
    TUNE_REQUIRE(cudaMemcpy(b_, host.data(), most_taps * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Sweep() { std::fclose(file_); }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void measure_peak() {
    int multiprocessors = 0;
    TUNE_REQUIRE(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    constexpr int rounds = 512, threads = 512;
    const int blocks = 4 * multiprocessors;
    std::vector<double> samples;
    for (int i = 0; i < 15; ++i) {
      samples.push_back(timer_.sample(
          [&] { only_multiply<T><<<blocks, threads, 0, timer_.stream()>>>(out_, T(0.5), rounds); }, false,
          1));
    }
    const double us = median(samples);
    peak_ = 128.0 * rounds * threads * blocks / us * 1e-6;  // 10^12 pairs a second
    samples.clear();
    for (int i = 0; i < 15; ++i) {
      samples.push_back(timer_.sample(
          [&] {
            TUNE_REQUIRE(
                cudaMemcpyAsync(out_, a_, most_n * sizeof(T), cudaMemcpyDeviceToDevice, timer_.stream()));
          },
          true, 1));
    }
    const double copy = median(samples);
    std::printf(
        "%s: %.2f T multiply-adds/s on %d multiprocessors (%.3f GHz if %d a clock); copy of %lld MB %.1f us\n",
        type_.c_str(), peak_, multiprocessors, peak_ * 1e3 / multiprocessors / (sizeof(T) == 4 ? 128 : 64),
        sizeof(T) == 4 ? 128 : 64, static_cast<long long>(most_n * sizeof(T) >> 20), copy);
    std::fprintf(file_, "{\"type\": \"%s\", \"peak\": %.3f, \"copy_n\": %lld, \"copy_us\": %.2f}\n",
                 type_.c_str(), peak_, static_cast<long long>(most_n), copy);
  }

  void measure(std::int64_t n, std::int64_t taps) {
    const Arrays<T> arrays{out_, a_, b_, n, taps};
    const Arrays<T> ordered = arrays.with_fewer_taps();
    const cudaStream_t stream = timer_.stream();
    const auto launch = [stream](auto run) {
      cudaError_t launched = cudaSuccess;
      run(InStream(stream, launched));
      TUNE_REQUIRE(launched);
    };
    std::vector<Candidate> candidates;
    for_each_shape([&]<Direct shape>() {
      candidates.push_back(
          {name_of(shape),
           [=] {
             launch([&](const InStream& in) { tally_convolve::detail::run_direct<shape>(ordered, in); });
           },
           {}});
    });
    candidates.push_back({"overlap_save",
                          [=, this] {
                            launch([&](const InStream& in) {
                              tally_convolve::detail::run_overlap_save(
                                  ordered, spectra_, tally_convolve::partitioning_of(ordered.taps), in);
                            });
                          },
                          {}});
    candidates.push_back({"best",
                          [=, this] {
                            std::size_t bytes = std::size_t{64} * tally_convolve::length * sizeof(Complex<T>);
                            TUNE_REQUIRE(tally_convolve::convolve(static_cast<void*>(spectra_), bytes,
                                                                  arrays.a, n, arrays.b, taps, arrays.out,
                                                                  stream));
                          },
                          {}});
    candidates.push_back({"thrust", [=] { by_thrust(arrays.out, arrays.a, arrays.b, n, taps, stream); }, {}});
    std::optional<ByCufft<T>> by_cufft;
    if (with_cufft_) {
      by_cufft.emplace(n, taps, stream);
      candidates.push_back({"cufft", [&, arrays] { (*by_cufft)(arrays.out, arrays.a, arrays.b); }, {}});
    }
    sample(candidates);
    report(n, taps, candidates);
  }

  static constexpr std::int64_t most_n = std::int64_t{1} << 24;
  static constexpr std::int64_t most_taps = 8192;

 private:
  /// Fewer samples of slow candidates, whose times differ less, and one of those that cannot win.
  void sample(std::vector<Candidate>& candidates) {
    std::vector<double> first;
    for (Candidate& candidate : candidates) {
      timer_.sample(candidate.call, true, 1);  // loads the code
      first.push_back(timer_.sample(candidate.call, true, 1));
    }
    const double fastest = *std::min_element(first.begin(), first.end());
    constexpr int most = 15;
    for (int round = 0; round < most; ++round) {
      for (std::size_t i = 0; i < candidates.size(); ++i) {
        const bool library = candidates[i].name == "thrust" || candidates[i].name == "cufft";
        const bool hopeless = first[i] > (library ? 20 : 1.6) * fastest + 4;
        if (round >= (hopeless ? 1 : first[i] > 500 ? 3 : most)) continue;
        candidates[i].samples.push_back(timer_.sample(candidates[i].call, true, 1));
      }
    }
  }

  void report(std::int64_t n, std::int64_t taps, const std::vector<Candidate>& candidates) {
    double direct = 1e30, spectra = 0, best = 0, thrust = 0, cufft = 0;
    std::string shape;
    for (const Candidate& candidate : candidates) {
      std::vector<double> sorted = candidate.samples;
      std::sort(sorted.begin(), sorted.end());
      const double us = median(sorted);
      const std::size_t quarter = sorted.size() / 4;
      std::fprintf(file_,
                   "{\"type\": \"%s\", \"n\": %lld, \"taps\": %lld, \"candidate\": \"%s\", \"us\": %.3f, "
                   "\"quarter\": %.3f, \"three_quarters\": %.3f, \"samples\": %zu}\n",
                   type_.c_str(), static_cast<long long>(n), static_cast<long long>(taps),
                   candidate.name.c_str(), us, sorted[quarter], sorted[sorted.size() - 1 - quarter],
                   sorted.size());
      if (candidate.name == "overlap_save") spectra = us;
      if (candidate.name == "best") best = us;
      if (candidate.name == "thrust") thrust = us;
      if (candidate.name == "cufft") cufft = us;
      if (candidate.name.starts_with("direct") && us < direct) {
        direct = us;
        shape = candidate.name.substr(7);
      }
    }
    std::fflush(file_);
    const double rate = static_cast<double>(n) * static_cast<double>(taps) / direct * 1e-6 / peak_;
    std::printf("%s 2^%-2d %5lld | %9.2f %-10s %5.1f%% | %9.2f | %9.2f | %9.2f %6.2fx | %9.2f %6.2fx\n",
                type_.c_str(), static_cast<int>(std::log2(static_cast<double>(n)) + 0.5),
                static_cast<long long>(taps), direct, shape.c_str(), 100 * rate, spectra, best, thrust,
                thrust / best, cufft, cufft / best);
  }

  std::string type_;
  std::FILE* file_;
  bool with_cufft_;
  Timer timer_;
  double peak_ = 1;
  T* a_ = nullptr;
  T* b_ = nullptr;
  T* out_ = nullptr;
  Complex<T>* spectra_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: sweep_convolve TYPE OUTPUT.jsonl [SECONDS [without_cufft]]\n");
    return 2;
  }
  const double seconds = count > 3 ? std::atof(arguments[3]) : 60;
  const auto begin = std::chrono::steady_clock::now();
  const bool with_cufft = count <= 4 || std::strcmp(arguments[4], "without_cufft") != 0;
  Sweep sweep(arguments[1], arguments[2], with_cufft);
  sweep.measure_peak();
  std::printf(
      "type    n   taps | direct us  shape      peak  | spectra   | best      | thrust     /best | cufft      "
      "/best\n");
  // Every other size and number of taps first, so that a run cut short has seen all regimes.
  for (const int part : {0, 1}) {
    for (int bits = 12 + 2 * part; bits <= 24; bits += 4) {
      for (const std::int64_t taps : {3, 5, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        if (spent.count() > seconds) continue;
        sweep.measure(std::int64_t{1} << bits, taps);
      }
    }
  }
  sweep.measure_peak();
  return 0;
}
