/// variants/index_add/best.cuh beside the plain atomic kernel for one type: rows, widths and duplicates,
/// cold.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. -DTUNE_TYPE=float
///        tests/variants/index_add_best/compare_index_add.cu -o compare_float32
///   ./compare_float32 float32 results.jsonl
#include <functional>
#include <string>
#include <vector>

#include "tasks.cuh"

namespace {

using namespace tune;
using tally_index_add::Contention;
using T = TUNE_TYPE;
using A = tally_index_add::Accumulator<T>;
using Index = std::int64_t;

struct Candidate {
  std::string name;
  std::function<void(cudaStream_t)> call;
  std::vector<double> microseconds = {};
};

template <Contention contention>
Candidate way(const std::string& name, T* x, const Index* index, const T* source, const Extents& e) {
  const tally_index_add::Task<T, Index, A> task{x, index, source, e.n, e.rows, e.width, e.planes, A(1)};
  return {name, [=](cudaStream_t stream) {
            TUNE_REQUIRE((tally_index_add::detail::index_add<contention>(task, stream)));
          }};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s LABEL JSON_LINES\n", argv[0]);
    return 2;
  }
  const std::string label = argv[1];
  std::FILE* json = std::fopen(argv[2], "a");
  Timer timer;
  constexpr std::int64_t most_rows = 1 << 20;
  constexpr std::int64_t room = (std::int64_t{1} << 18) * 256;
  T* x = nullptr;
  T* source = nullptr;
  Index* index = nullptr;
  TUNE_REQUIRE(cudaMalloc(&x, static_cast<std::size_t>(most_rows * 256) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&source, static_cast<std::size_t>(room) * sizeof(T)));
  TUNE_REQUIRE(cudaMalloc(&index, sizeof(Index) << 18));
  TUNE_REQUIRE(cudaMemset(x, 0, static_cast<std::size_t>(most_rows * 256) * sizeof(T)));
  fill<<<1056, 512>>>(source, room, 7u, 1);
  struct Shape {
    std::int64_t width;
    std::int64_t planes;
  };
  for (const Shape shape :
       {Shape{64, 1}, Shape{1, 1}, Shape{4, 1}, Shape{16, 1}, Shape{63, 1}, Shape{256, 1}, Shape{1, 64}}) {
    for (const std::int64_t n : {std::int64_t{1} << 12, std::int64_t{1} << 16, std::int64_t{1} << 18}) {
      double uncontended = 0;
      struct Level {
        std::int64_t distinct;
        bool in_turn;
      };
      for (const auto& [distinct, in_turn] :
           {Level{n, true}, Level{n / 64, true}, Level{1024, false}, Level{128, false}, Level{64, true},
            Level{32, true}, Level{8, false}, Level{2, false}, Level{1, true}}) {
        const Extents e{n, shape.planes > 1 ? n : most_rows, shape.width, shape.planes};
        draw_indices<<<264, 256>>>(index, n, e.rows, distinct, in_turn);
        std::vector<Candidate> all;
        all.push_back(
            {"plain", [&](cudaStream_t stream) { plain_index_add(x, index, source, e, 1.0f, stream); }});
        all.push_back({"best", [&](cudaStream_t stream) {
                         TUNE_REQUIRE(tally_index_add::index_add(x, index, source, e, A(1), stream));
                       }});
        all.push_back(way<Contention::ignored>("ignored", x, index, source, e));
        all.push_back(way<Contention::by_warp>("by_warp", x, index, source, e));
        all.push_back(way<Contention::by_block>("by_block", x, index, source, e));
        const int samples = 15;
        for (int round = -1; round < samples; ++round) {
          for (Candidate& candidate : all) {
            if (candidate.name == "plain" && distinct < 32 && round > 2) continue;  // slow, and known to be
            const double us = timer.sample([&] { candidate.call(timer.stream()); }, true, 1);
            if (round >= 0) candidate.microseconds.push_back(us);
          }
        }
        std::printf("%s n=2^%d width=%lld planes=%lld distinct=%-6lld%s", label.c_str(),
                    n == 4096    ? 12
                    : n == 65536 ? 16
                                 : 18,
                    static_cast<long long>(e.width), static_cast<long long>(e.planes),
                    static_cast<long long>(distinct), in_turn ? "t" : " ");
        for (const Candidate& candidate : all) {
          const double us = median(candidate.microseconds);
          std::printf(" %s %.2f", candidate.name.c_str(), us);
          if (candidate.name == "best") {
            if (distinct == n) uncontended = us;
            std::printf(" (%.2f)", us / uncontended);
          }
          std::fprintf(
              json,
              "{\"type\":\"%s\",\"n\":%lld,\"width\":%lld,\"planes\":%lld,\"distinct\":%lld,\"in_turn\":%s,"
              "\"candidate\":\"%s\",\"us\":%.4f}\n",
              label.c_str(), static_cast<long long>(n), static_cast<long long>(e.width),
              static_cast<long long>(e.planes), static_cast<long long>(distinct), in_turn ? "true" : "false",
              candidate.name.c_str(), us);
        }
        std::printf("\n");
      }
    }
  }
  std::fclose(json);
  return 0;
}
