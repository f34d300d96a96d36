/// variants/reduce/best.cuh beside CUB for one type: every size, cold and warm; sum, min and max; aligned and
/// not. The ratio is of interleaved samples, its interval by resampling them.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. -DTUNE_TYPE=float
///        tests/variants/reduce_best/compare_reduce.cu -o compare_float32
///   ./compare_float32 float32 10 30 results.json
#include <cmath>
#include <random>

#include "candidates.cuh"
#include "variants/reduce/best.cuh"

namespace {

using namespace tune;
using T = TUNE_TYPE;

struct Ratio {
  double ours;
  double library;
  double value;
  double low;
  double high;
};

/// CUB's time over ours, of pairs of samples taken next to one another.
Ratio ratio_of(const std::vector<double>& ours, const std::vector<double>& library) {
  std::mt19937 random(1);
  std::vector<double> ratios;
  std::vector<double> a(ours.size());
  std::vector<double> b(ours.size());
  for (int draw = 0; draw < 400; ++draw) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const std::size_t pick = random() % ours.size();
      a[i] = ours[pick];
      b[i] = library[pick];
    }
    ratios.push_back(median(b) / median(a));
  }
  std::sort(ratios.begin(), ratios.end());
  return {median(ours), median(library), median(library) / median(ours), ratios[9], ratios[390]};
}

struct Summary {
  double log_sum = 0;
  int cells = 0;
  double worst = 1e300;
  int worst_bits = 0;
  int below = 0;  ///< cells whose whole interval is below 1
  void add(const Ratio& ratio, int bits) {
    log_sum += std::log(ratio.value);
    ++cells;
    below += ratio.high < 1 ? 1 : 0;
    if (ratio.value < worst) {
      worst = ratio.value;
      worst_bits = bits;
    }
  }
};

template <typename Op>
void compare(Timer& timer, const Question<T>& all_of_it, const char* label, const char* op, int smallest,
             int largest, int missing, int offset, void* storage, std::size_t storage_bytes,
             std::FILE* json) {
  Summary summaries[2];
  for (int bits = smallest; bits <= largest; ++bits) {
    Question<T> q = all_of_it;
    q.x += offset;
    q.n = (std::int64_t{1} << bits) - missing;
    std::vector<Candidate> library;
    add_cub<T, Op>(library, q);
    const auto ours = [&] {
      std::size_t bytes = storage_bytes;
      TUNE_REQUIRE(tally_reduce::reduce(storage, bytes, q.x, q.out, q.n, Op(), timer.stream()));
    };
    const auto bytes = q.n * static_cast<std::int64_t>(sizeof(T));
    for (const bool cold : {true, false}) {
      const int batch = cold ? 1 : bytes <= (16 << 20) ? 16 : bytes <= (256 << 20) ? 4 : 1;
      const int samples = bytes <= (64 << 20) ? 61 : bytes <= (1 << 30) ? 21 : 11;
      std::vector<double> mine;
      std::vector<std::vector<double>> theirs(library.size());
      for (int round = -2; round < samples; ++round) {
        const double us = timer.sample(ours, cold, batch);
        if (round >= 0) mine.push_back(us);
        for (std::size_t i = 0; i < library.size(); ++i) {
          const double taken =
              timer.sample([&] { TUNE_REQUIRE(library[i].call(timer.stream(), true)); }, cold, batch);
          if (round >= 0) theirs[i].push_back(taken);
        }
      }
      std::size_t fastest = 0;
      for (std::size_t i = 1; i < theirs.size(); ++i) {
        if (median(theirs[i]) < median(theirs[fastest])) fastest = i;
      }
      const Ratio ratio = ratio_of(mine, theirs[fastest]);
      summaries[cold ? 0 : 1].add(ratio, bits);
      std::printf("%s %s%s 2^%d%s %s: %.2f us, %s %.2f us, ratio %.3f [%.3f, %.3f], %.0f GB/s\n", label, op,
                  offset != 0 ? " misaligned" : "", bits, missing != 0 ? " odd" : "", cold ? "cold" : "warm",
                  ratio.ours, library[fastest].name.c_str(), ratio.library, ratio.value, ratio.low,
                  ratio.high, static_cast<double>(bytes) / ratio.ours * 1e-3);
      std::fprintf(
          json,
          "{\"type\":\"%s\",\"op\":\"%s\",\"n\":%lld,\"offset\":%d,\"cache\":\"%s\",\"us\":%.4f,\"cub\":\"%s\","
          "\"cub_us\":%.4f,\"ratio\":%.4f,\"low\":%.4f,\"high\":%.4f}\n",
          label, op, static_cast<long long>(q.n), offset, cold ? "cold" : "warm", ratio.ours,
          library[fastest].name.c_str(), ratio.library, ratio.value, ratio.low, ratio.high);
    }
  }
  for (const int cache : {0, 1}) {
    const Summary& s = summaries[cache];
    std::printf("SUMMARY %s %s%s%s 2^%d-2^%d %s: geometric mean %.3f, worst %.3f at 2^%d, %d of %d below 1\n",
                label, op, missing != 0 ? " odd" : "", offset != 0 ? " misaligned" : "", smallest, largest,
                cache == 0 ? "cold" : "warm", std::exp(s.log_sum / s.cells), s.worst, s.worst_bits, s.below,
                s.cells);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s LABEL LOG2_SMALLEST LOG2_LARGEST JSON_LINES\n", argv[0]);
    return 2;
  }
  const int smallest = std::atoi(argv[2]);
  const int largest = std::atoi(argv[3]);
  std::FILE* json = std::fopen(argv[4], "w");
  Timer timer;
  T* x = nullptr;
  Question<T> q{};
  q.cub_bytes = 1 << 20;
  void* storage = nullptr;
  std::size_t bytes = 0;
  TUNE_REQUIRE(tally_reduce::reduce<T>(nullptr, bytes, nullptr, nullptr, 0, tally_reduce::Sum()));
  TUNE_REQUIRE(cudaMalloc(&storage, bytes));
  TUNE_REQUIRE(cudaMemset(storage, 0xa5, bytes));
  TUNE_REQUIRE(cudaMalloc(&x, (std::size_t{1} << largest) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&q.out, 16));
  TUNE_REQUIRE(cudaMalloc(&q.cub_storage, q.cub_bytes));
  fill<<<1056, 512>>>(x, std::int64_t{1} << largest, 7u, 4);
  q.x = x;
  const auto run = [&](auto op, const char* name, int last, int missing, int offset) {
    compare<decltype(op)>(timer, q, argv[1], name, smallest, std::min(last, largest), missing, offset,
                          storage, bytes, json);
  };
  run(tally_reduce::Sum(), "sum", largest, 0, 0);
  run(tally_reduce::Min(), "min", 28, 0, 0);
  run(tally_reduce::Max(), "max", 28, 0, 0);
  run(tally_reduce::Sum(), "sum", 28, 3, 0);
  run(tally_reduce::Sum(), "sum", 28, 5, 1);
  std::fclose(json);
  return 0;
}
