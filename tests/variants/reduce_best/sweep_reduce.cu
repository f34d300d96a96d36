/// Every candidate at every size, cold and warm, for one type and operation: what the table of
/// variants/reduce/best/tuned.h is made from.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. -DTUNE_TYPE=float -DTUNE_OP=Sum
///        tests/variants/reduce_best/sweep_reduce.cu -o sweep_float_sum
///   ./sweep_float_sum float32/sum 10 30 results.json
#include <cmath>
#include <cstring>

#include "candidates.cuh"
#include "ideas.cuh"

namespace {

using namespace tune;
using T = TUNE_TYPE;
using Op = tally_reduce::TUNE_OP;

struct Measured {
  std::size_t index;
  double microseconds;
};

double exact_answer(const Exact& exact) {
  if (std::is_same_v<Op, tally_reduce::Sum>) return static_cast<double>(exact.sum);
  return static_cast<double>(std::is_same_v<Op, tally_reduce::Min> ? exact.smallest : exact.largest);
}

std::vector<Candidate> everything_for(const Question<T>& q) {
  std::vector<Candidate> all = candidates_of<T, Op>(q);
#if defined(TUNE_IDEAS)
  add_ideas<256, 2>(all, q);
  add_ideas<512, 2>(all, q);
  add_ideas<512, 4>(all, q);
#endif
  return all;
}

/// The indices of the candidates whose answer is right; names the others.
std::vector<std::size_t> right_ones(const Timer& timer, const Question<T>& q,
                                    const std::vector<Candidate>& all, const char* label, bool& right) {
  const double expected = exact_answer(exact_of(q.x, q.n));
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    Answer<T> poison{};
    std::memset(&poison, 0x77, sizeof poison);
    TUNE_REQUIRE(cudaMemcpy(q.out, &poison, sizeof poison, cudaMemcpyHostToDevice));
    TUNE_REQUIRE(all[i].call(timer.stream(), true));
    Answer<T> got{};
    TUNE_REQUIRE(cudaStreamSynchronize(timer.stream()));
    TUNE_REQUIRE(cudaMemcpy(&got, q.out, sizeof got, cudaMemcpyDeviceToHost));
    if (static_cast<double>(got) == expected) {
      kept.push_back(i);
      continue;
    }
    if (!all[i].library) right = false;
    std::printf("WRONG %s n=%lld %s: %.9g, expected %.9g\n", label, static_cast<long long>(q.n),
                all[i].name.c_str(), static_cast<double>(got), expected);
  }
  return kept;
}

/// Medians of interleaved samples, in the order of `which`.
std::vector<Measured> measure(Timer& timer, const std::vector<Candidate>& all,
                              const std::vector<std::size_t>& which, bool cold, int batch, int samples,
                              bool programmatic) {
  std::vector<std::vector<double>> taken(which.size());
  for (int round = -1; round < samples; ++round) {
    for (std::size_t i = 0; i < which.size(); ++i) {
      const Candidate& candidate = all[which[i]];
      const double us =
          timer.sample([&] { TUNE_REQUIRE(candidate.call(timer.stream(), programmatic)); }, cold, batch);
      if (round >= 0) taken[i].push_back(us);
    }
  }
  std::vector<Measured> result;
  for (std::size_t i = 0; i < which.size(); ++i) result.push_back({which[i], median(taken[i])});
  return result;
}

double best_library(const std::vector<Candidate>& all, const std::vector<Measured>& measured) {
  double best = 1e300;
  for (const Measured& m : measured) {
    if (all[m.index].library) best = std::min(best, m.microseconds);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s LABEL LOG2_SMALLEST LOG2_LARGEST JSON\n", argv[0]);
    return 2;
  }
  const std::string label = argv[1];
  const int smallest = std::atoi(argv[2]);
  const int largest = std::atoi(argv[3]);
  std::FILE* json = std::fopen(argv[4], "w");
  std::fprintf(json, "[\n");
  Timer timer;
  const auto values = std::int64_t{1} << largest;
  T* x = nullptr;
  Question<T> q{};
  q.cub_bytes = 1 << 20;
  TUNE_REQUIRE(cudaMalloc(&x, static_cast<std::size_t>(values) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&q.out, 16));
  TUNE_REQUIRE(cudaMalloc(&q.slots.first, most_blocks * sizeof(detail::Slot)));
  TUNE_REQUIRE(cudaMalloc(&q.cub_storage, q.cub_bytes));
  TUNE_REQUIRE(cudaMemset(q.slots.first, 0xa5, most_blocks * sizeof(detail::Slot)));
  fill<<<1056, 512>>>(x, values, 7u, 4);
  q.x = x;
  const double empty = median([&] {
    std::vector<double> taken;
    for (int i = 0; i < 31; ++i)
      taken.push_back(timer.sample([&] { nothing<<<1, 32, 0, timer.stream()>>>(); }, true, 1));
    return taken;
  }());
  std::printf("== %s: empty kernel %.2f us\n", label.c_str(), empty);
  bool first_row = true;
  bool right = true;
  for (int bits = smallest; bits <= largest; ++bits) {
    q.n = std::int64_t{1} << bits;
    const auto bytes = q.n * static_cast<std::int64_t>(sizeof(T));
    const std::vector<Candidate> all = everything_for(q);
    const std::vector<std::size_t> ours = right_ones(timer, q, all, label.c_str(), right);
    if (bits <= 24) {
      Question<T> odd = q;
      odd.x = x + 1;
      odd.n = q.n - 6;
      right_ones(timer, odd, everything_for(odd), label.c_str(), right);
    }
    for (const bool cold : {true, false}) {
      const int batch = cold ? 1 : bytes <= (16 << 20) ? 16 : bytes <= (256 << 20) ? 4 : 1;
      const int samples = bytes <= (64 << 20) ? 21 : 5;
      auto measured = measure(timer, all, ours, cold, batch, samples, true);
      for (const Measured& m : measured) {
        std::fprintf(json,
                     "%s{\"question\":\"%s\",\"bits\":%d,\"cache\":\"%s\",\"candidate\":\"%s\",\"us\":%.4f}",
                     first_row ? "" : ",\n", label.c_str(), bits, cold ? "cold" : "warm",
                     all[m.index].name.c_str(), m.microseconds);
        first_row = false;
      }
      std::sort(measured.begin(), measured.end(),
                [](const Measured& a, const Measured& b) { return a.microseconds < b.microseconds; });
      // The finalists again, with more samples and CUB beside them; programmatic and not.
      std::vector<std::size_t> finalists;
      for (const Measured& m : measured) {
        if (all[m.index].library || finalists.size() < 6) finalists.push_back(m.index);
      }
      for (const bool programmatic : {true, false}) {
        auto last = measure(timer, all, finalists, cold, batch, bytes <= (64 << 20) ? 31 : 9, programmatic);
        const double library = best_library(all, last);
        std::sort(last.begin(), last.end(),
                  [](const Measured& a, const Measured& b) { return a.microseconds < b.microseconds; });
        std::printf("%s 2^%d %s%s cub %.2f |", label.c_str(), bits, cold ? "cold" : "warm",
                    programmatic ? "+p" : "  ", library);
        int shown = 0;
        for (const Measured& m : last) {
          if (!all[m.index].library && shown++ < 4) {
            std::printf(" %s %.2f (%.3f)", all[m.index].name.c_str(), m.microseconds,
                        library / m.microseconds);
          }
          std::fprintf(
              json,
              ",\n{\"question\":\"%s\",\"bits\":%d,\"cache\":\"%s\",\"final\":%s,\"candidate\":\"%s\",\"us\":%.4f}",
              label.c_str(), bits, cold ? "cold" : "warm", programmatic ? "\"programmatic\"" : "\"plain\"",
              all[m.index].name.c_str(), m.microseconds);
        }
        std::printf("\n");
      }
    }
  }
  std::fprintf(json, "\n]\n");
  std::fclose(json);
  std::printf("== %s: %s\n", label.c_str(), right ? "all right" : "SOME WRONG");
  return right ? 0 : 1;
}
