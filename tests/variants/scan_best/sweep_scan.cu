/// Every candidate at every size for one type, cold: what the table of variants/scan/best/tuned.h is made
/// from.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. -DTUNE_TYPE=float
///        tests/variants/scan_best/sweep_scan.cu -o sweep_float32
///   ./sweep_float32 float32 10 28 results.json
#include <cmath>
#include <cub/device/device_scan.cuh>
#include <functional>
#include <string>

#include "candidates.cuh"

namespace {

using namespace tune;
using T = TUNE_TYPE;

/// Whether the candidate's answer is right; says so if not.
bool is_right(const Timer& timer, const Question<T>& q, const Candidate& candidate) {
  static unsigned long long* counts = nullptr;
  if (counts == nullptr) TUNE_REQUIRE(cudaMalloc(&counts, 2 * sizeof *counts));
  TUNE_REQUIRE(cudaMemsetAsync(q.out, 0xff, static_cast<std::size_t>(q.n) * sizeof(T), timer.stream()));
  TUNE_REQUIRE(cudaMemsetAsync(counts, 0, sizeof *counts, timer.stream()));
  TUNE_REQUIRE(cudaMemsetAsync(counts + 1, 0xff, sizeof *counts, timer.stream()));
  const cudaError_t status = candidate.call(timer.stream());
  if (status != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    std::printf("FAIL n=%lld %s: %s\n", static_cast<long long>(q.n), candidate.name.c_str(),
                cudaGetErrorString(status));
    return false;
  }
  count_wrong_steps<<<1056, 256, 0, timer.stream()>>>(q.x, q.out, q.n, true, counts, counts + 1);
  unsigned long long got[2]{};
  TUNE_REQUIRE(cudaMemcpyAsync(got, counts, sizeof got, cudaMemcpyDefault, timer.stream()));
  TUNE_REQUIRE(cudaStreamSynchronize(timer.stream()));
  if (got[0] == 0) return true;
  std::printf("FAIL n=%lld %s: %llu wrong steps, the first at %llu\n", static_cast<long long>(q.n),
              candidate.name.c_str(), got[0], got[1]);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) {
    std::fprintf(stderr, "usage: %s LABEL LOG2_SMALLEST LOG2_LARGEST JSON [WITHOUT]\n", argv[0]);
    return 2;
  }
  const std::string label = argv[1];
  const std::string without = argc == 6 ? argv[5] : "";  // candidates with this in their name are left out
  const int smallest = std::atoi(argv[2]);
  const int largest = std::atoi(argv[3]);
  std::FILE* json = std::fopen(argv[4], "w");
  std::fprintf(json, "[\n");
  Timer timer;
  const auto values = std::int64_t{1} << largest;
  T* x = nullptr;
  T* out = nullptr;
  constexpr std::size_t storage_bytes = std::size_t{64} << 20;
  void* storage = nullptr;
  TUNE_REQUIRE(cudaMalloc(&x, static_cast<std::size_t>(values + 64) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&out, static_cast<std::size_t>(values + 64) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&storage, storage_bytes));
  TUNE_REQUIRE(cudaMemset(storage, 0xa5, storage_bytes));
  fill<<<1056, 512>>>(x, values + 64, 7u, 4);
  bool right = true;
  bool first_row = true;
  for (int bits = smallest; bits <= largest; ++bits) {
    const Question<T> q{x, out, std::int64_t{1} << bits, storage, storage_bytes};
    Question<T> odd = q;
    odd.x = x + 1;
    odd.out = out + 1;
    odd.n = q.n - 5;
    std::vector<Candidate> all = candidates_of<T>(q);
    const std::vector<Candidate> all_odd = candidates_of<T>(odd);
    std::vector<Candidate> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!without.empty() && all[i].name.find(without) != std::string::npos) continue;
      bool good = is_right(timer, q, all[i]);
      for (const Candidate& candidate : all_odd) {
        if (bits <= 24 && candidate.name == all[i].name) good = is_right(timer, odd, candidate) && good;
      }
      if (good) kept.push_back(all[i]);
      right = right && good;
    }
    kept.push_back({"copy", [=](cudaStream_t stream) {
                      return cudaMemcpyAsync(out, x, static_cast<std::size_t>(q.n) * sizeof(T),
                                             cudaMemcpyDefault, stream);
                    }});
    const int samples = bits <= 24 ? 21 : 7;
    std::vector<std::vector<double>> taken(kept.size());
    for (int round = -1; round < samples; ++round) {
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const double us = timer.sample([&] { TUNE_REQUIRE(kept[i].call(timer.stream())); }, true, 1);
        if (round >= 0) taken[i].push_back(us);
      }
    }
    std::vector<std::pair<double, std::string>> order;
    double library = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const double us = median(taken[i]);
      if (kept[i].name == "cub") library = us;
      order.emplace_back(us, kept[i].name);
      std::fprintf(json, "%s{\"type\":\"%s\",\"bits\":%d,\"candidate\":\"%s\",\"us\":%.4f}",
                   first_row ? "" : ",\n", label.c_str(), bits, kept[i].name.c_str(), us);
      first_row = false;
    }
    std::sort(order.begin(), order.end());
    std::printf("%s 2^%d cub %.2f |", label.c_str(), bits, library);
    int shown = 0;
    for (const auto& [us, name] : order) {
      if (name != "cub" && shown++ < 6) std::printf(" %s %.2f (%.3f)", name.c_str(), us, library / us);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::fprintf(json, "\n]\n");
  std::fclose(json);
  std::printf("%s sweep %s\n", right ? "PASS" : "FAIL", label.c_str());
  return right ? 0 : 1;
}
