#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "tests/variants/on_gpu/timing.cuh"

/// What the drivers on a GPU share: calls that answer one question, timed next to one another, their rows as
/// lines of JSON, and inputs by a hash.
namespace tune {

struct Candidate {
  std::string name;
  std::function<cudaError_t(cudaStream_t)> call;
  bool library = false;
};

/// What a row says of the question: all of it goes into every line.
struct QuestionName {
  std::string family;
  std::string type;
  std::string what;  ///< the op, or the direction
  std::int64_t n;
  std::int64_t bytes;  ///< that must move, once each
};

struct Measured {
  std::size_t index;
  std::vector<double> samples;
  double microseconds() const { return median(samples); }
};

/// Interleaved samples, in the order of `which`.
inline std::vector<Measured> measure(Timer& timer, const std::vector<Candidate>& all,
                                     const std::vector<std::size_t>& which, bool cold, int batch,
                                     int samples) {
  std::vector<Measured> result;
  for (const std::size_t index : which) result.push_back({index, {}});
  for (int round = -1; round < samples; ++round) {
    for (Measured& m : result) {
      const double us = timer.sample([&] { TUNE_REQUIRE(all[m.index].call(timer.stream())); }, cold, batch);
      if (round >= 0) m.samples.push_back(us);
    }
  }
  return result;
}

/// b's time over a's, of pairs of samples taken next to one another, and its 95% interval by resampling.
struct Ratio {
  double value;
  double low;
  double high;
};

inline Ratio ratio_of(const std::vector<double>& a, const std::vector<double>& b) {
  std::mt19937 random(1);
  std::vector<double> ratios;
  std::vector<double> some_a(a.size());
  std::vector<double> some_b(b.size());
  constexpr int draws = 400;
  for (int draw = 0; draw < draws; ++draw) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t pick = random() % a.size();
      some_a[i] = a[pick];
      some_b[i] = b[pick];
    }
    ratios.push_back(median(some_b) / median(some_a));
  }
  std::sort(ratios.begin(), ratios.end());
  return {median(b) / median(a), ratios[draws / 40 - 1], ratios[draws - draws / 40]};
}

/// Calls behind one another in a warm sample, so that one is longer than the clock's step.
inline int batch_of(const QuestionName& question, bool cold) {
  if (cold) return 1;
  return question.bytes <= (16 << 20) ? 16 : question.bytes <= (256 << 20) ? 4 : 1;
}

inline void write_row(std::FILE* json, const QuestionName& q, const char* cache, const char* round,
                      const std::string& candidate, double us) {
  std::fprintf(
      json,
      "{\"family\":\"%s\",\"type\":\"%s\",\"what\":\"%s\",\"n\":%lld,\"bytes\":%lld,\"cache\":\"%s\","
      "\"round\":\"%s\",\"candidate\":\"%s\",\"us\":%.4f}\n",
      q.family.c_str(), q.type.c_str(), q.what.c_str(), static_cast<long long>(q.n),
      static_cast<long long>(q.bytes), cache, round, candidate.c_str(), us);
}

/// Times all candidates with few samples, then the fastest and the libraries' with more; prints one line, and
/// writes one row a candidate and round.
inline void sweep(Timer& timer, const QuestionName& question, const std::vector<Candidate>& all, bool cold,
                  std::FILE* json) {
  const char* cache = cold ? "cold" : "warm";
  const bool small = question.bytes <= (64 << 20);
  const int batch = batch_of(question, cold);
  std::vector<std::size_t> everyone(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) everyone[i] = i;
  auto measured = measure(timer, all, everyone, cold, batch, small ? 11 : 5);
  for (const Measured& m : measured) {
    write_row(json, question, cache, "all", all[m.index].name, m.microseconds());
  }
  const auto faster = [](const Measured& a, const Measured& b) {
    return a.microseconds() < b.microseconds();
  };
  std::sort(measured.begin(), measured.end(), faster);
  std::vector<std::size_t> finalists;
  std::size_t own = 0;
  for (const Measured& m : measured) {
    constexpr std::size_t most_own = 5;
    if (all[m.index].library || own++ < most_own) finalists.push_back(m.index);
  }
  auto last = measure(timer, all, finalists, cold, batch, small ? 41 : 11);
  std::sort(last.begin(), last.end(), faster);
  std::printf("%s %s %s n=%lld %s |", question.family.c_str(), question.type.c_str(), question.what.c_str(),
              static_cast<long long>(question.n), cache);
  for (const Measured& m : last) {
    write_row(json, question, cache, "final", all[m.index].name, m.microseconds());
    std::printf(" %s %.2f", all[m.index].name.c_str(), m.microseconds());
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Times `ours` beside every library call; the ratio to the fastest of these, with its interval.
inline Ratio compare(Timer& timer, const QuestionName& question, const Candidate& ours,
                     const std::vector<Candidate>& libraries, bool cold, std::FILE* json) {
  std::vector<Candidate> all{ours};
  all.insert(all.end(), libraries.begin(), libraries.end());
  std::vector<std::size_t> everyone(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) everyone[i] = i;
  const auto measured =
      measure(timer, all, everyone, cold, batch_of(question, cold), question.bytes <= (256 << 20) ? 101 : 31);
  std::size_t fastest = 1;
  for (std::size_t i = 2; i < measured.size(); ++i) {
    if (measured[i].microseconds() < measured[fastest].microseconds()) fastest = i;
  }
  const Ratio ratio = ratio_of(measured[0].samples, measured[fastest].samples);
  std::fprintf(
      json,
      "{\"family\":\"%s\",\"type\":\"%s\",\"what\":\"%s\",\"n\":%lld,\"bytes\":%lld,\"cache\":\"%s\","
      "\"round\":\"compare\",\"us\":%.4f,\"library\":\"%s\",\"library_us\":%.4f,\"ratio\":%.4f,"
      "\"low\":%.4f,\"high\":%.4f}\n",
      question.family.c_str(), question.type.c_str(), question.what.c_str(),
      static_cast<long long>(question.n), static_cast<long long>(question.bytes), cold ? "cold" : "warm",
      measured[0].microseconds(), all[fastest].name.c_str(), measured[fastest].microseconds(), ratio.value,
      ratio.low, ratio.high);
  std::printf("COMPARE %s %s %s n=%lld %s: %.2f us, %s %.2f us, ratio %.3f [%.3f, %.3f], %.0f GB/s\n",
              question.family.c_str(), question.type.c_str(), question.what.c_str(),
              static_cast<long long>(question.n), cold ? "cold" : "warm", measured[0].microseconds(),
              all[fastest].name.c_str(), measured[fastest].microseconds(), ratio.value, ratio.low, ratio.high,
              static_cast<double>(question.bytes) / measured[0].microseconds() * 1e-3);
  std::fflush(stdout);
  return ratio;
}

/// A number that depends on index and seed alone.
__host__ __device__ inline std::uint64_t hash_of(std::int64_t index, std::uint64_t seed) {
  std::uint64_t h = static_cast<std::uint64_t>(index) * 0x9e3779b97f4a7c15ull + seed;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
  return h ^ (h >> 31);
}

/// Eighths from -8 to 8: sums of four are exact in every type.
template <typename T>
__global__ void fill_values(T* x, std::int64_t n, std::uint64_t seed) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>((static_cast<float>(hash_of(i, seed) % 129) - 64.0f) * 0.125f);
  }
}

template <typename T>
T* device_array(std::int64_t n) {
  T* array = nullptr;
  TUNE_REQUIRE(cudaMalloc(&array, static_cast<std::size_t>(n) * sizeof(T)));
  return array;
}

inline int multiprocessors() {
  static const int count = [] {
    int value = 0;
    TUNE_REQUIRE(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    return value;
  }();
  return count;
}

/// The machine's copy of as many bytes, half of them read and half written.
inline void add_copies(std::vector<Candidate>& all, void* to, const void* from, std::int64_t bytes) {
  all.push_back({"memcpy",
                 [=](cudaStream_t stream) {
                   return cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes / 2),
                                          cudaMemcpyDeviceToDevice, stream);
                 },
                 true});
}

/// Counts failures and names them.
class Checks {
 public:
  void expect(bool right, const std::string& what) {
    ++count_;
    if (right) return;
    constexpr int most_shown = 30;
    if (++failed_ <= most_shown) std::printf("FAIL %s\n", what.c_str());
  }
  /// Prints the line that ends them. True if all were right.
  bool report(const std::string& label) const {
    std::printf("%s %s: %d of %d checks right\n", failed_ == 0 ? "PASS" : "FAIL", label.c_str(),
                count_ - failed_, count_);
    std::fflush(stdout);
    return failed_ == 0;
  }

 private:
  int count_ = 0;
  int failed_ = 0;
};

}  // namespace tune
