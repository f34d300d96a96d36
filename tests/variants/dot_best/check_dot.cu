/// variants/dot/best.cuh on a GPU: every type, size and pair of alignments against exact answers, what lies
/// behind the arrays a NaN; graphs, the kernel in front, and the bits of a thousand launches under load.
/// Needs a Hopper GPU, so it is no part of ./test.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. tests/variants/dot_best/check_dot.cu -o
///   check_dot
///   ./check_dot [SEED]
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "values.cuh"
#include "variants/dot/best.cuh"

namespace {

using namespace tune;
using tally_dot::Answer;

long long checks = 0;
long long faults = 0;

void expect(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  if (++faults <= 40) std::printf("FAULT: %s\n", what.c_str());
}

/// Storage that a careless user gives: odd address, content of an earlier life.
struct Storage {
  unsigned char* memory = nullptr;
  std::size_t bytes = 0;
  Storage() {
    TUNE_REQUIRE(tally_dot::dot<float>(nullptr, bytes, nullptr, nullptr, static_cast<float*>(nullptr), 0));
    TUNE_REQUIRE(cudaMalloc(&memory, bytes + 16));
    memory += 3;
  }
  void soil(int with) const { TUNE_REQUIRE(cudaMemset(memory, with, bytes)); }
};

template <typename T>
T* device_array(std::int64_t n) {
  T* array = nullptr;
  TUNE_REQUIRE(cudaMalloc(&array, static_cast<std::size_t>(n) * sizeof(T)));
  return array;
}

template <typename A>
A fetch(const A* from) {
  A value{};
  TUNE_REQUIRE(cudaDeviceSynchronize());
  TUNE_REQUIRE(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

template <typename T, typename Out>
void check_one(const Storage& storage, const T* x, const T* y, Out* out, std::int64_t n, double expected,
               const std::string& name) {
  TUNE_REQUIRE(cudaMemset(out, 0x77, sizeof(Out)));
  std::size_t bytes = storage.bytes;
  const cudaError_t status = tally_dot::dot(storage.memory, bytes, x, y, out, n);
  expect(status == cudaSuccess, name + ": " + cudaGetErrorString(status));
  const auto got = static_cast<double>(static_cast<float>(fetch(out)));
  expect(got == expected, name + ": " + std::to_string(got) + ", expected " + std::to_string(expected));
}

/// What is around the arrays is all ones, a NaN in every type.
template <typename T>
void check_type(const char* type, std::mt19937_64& random) {
  const Storage storage;
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  constexpr int offsets = 16 / sizeof(T);
  constexpr std::int64_t room = largest + 64;
  T* memory_x = device_array<T>(room);
  T* memory_y = device_array<T>(room);
  auto* out = device_array<Answer<T>>(1);
  auto* narrow = device_array<T>(1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 0; n <= 40; ++n) sizes.push_back(n);
  for (std::int64_t n = 64; n <= largest; n *= 2) {
    for (const std::int64_t near : {n - 1, n, n + 1}) sizes.push_back(std::min(near, largest));
    sizes.push_back(n +
                    static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)) % (largest - n + 1));
  }
  const long long before = checks;
  for (const std::int64_t n : sizes) {
    std::vector<std::pair<int, int>> pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    for (int i = 0; i < 3; ++i)
      pairs.emplace_back(static_cast<int>(random() % offsets), static_cast<int>(random() % offsets));
    for (const auto& [of_x, of_y] : pairs) {
      const auto used = static_cast<std::size_t>(n + 64) * sizeof(T);
      TUNE_REQUIRE(cudaMemsetAsync(memory_x, 0xff, used));
      TUNE_REQUIRE(cudaMemsetAsync(memory_y, 0xff, used));
      T* x = memory_x + of_x;
      T* y = memory_y + of_y;
      fill<<<264, 512>>>(x, n, static_cast<std::uint32_t>(random()), 3);
      fill<<<264, 512>>>(y, n, static_cast<std::uint32_t>(random()), 2);
      const auto exact = static_cast<double>(exact_dot(x, y, n));
      storage.soil(static_cast<int>(random() % 256));
      const std::string name = std::string(type) + " n=" + std::to_string(n) + " offsets " +
                               std::to_string(of_x) + ", " + std::to_string(of_y);
      check_one(storage, x, y, out, n, exact, name);
      if constexpr (sizeof(T) == 2) {
        check_one(storage, x, y, narrow, n, static_cast<float>(static_cast<T>(static_cast<float>(exact))),
                  name + " rounded");
      }
    }
  }
  std::printf("%s: %lld checks\n", type, checks - before);
  for (void* memory : {static_cast<void*>(memory_x), static_cast<void*>(memory_y), static_cast<void*>(out),
                       static_cast<void*>(narrow)})
    TUNE_REQUIRE(cudaFree(memory));
}

/// More elements than 32 bits count.
void check_many() {
  const Storage storage;
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 13;
  auto* x = device_array<__half>(n + 1);
  auto* y = device_array<__half>(n + 1);
  auto* out = device_array<float>(1);
  fill<<<1056, 512>>>(x, n + 1, 5u, 1);
  fill<<<1056, 512>>>(y, n + 1, 6u, 1);
  for (const std::int64_t count : {n, (std::int64_t{1} << 31) + 1}) {
    for (const int offset : {0, 1}) {
      check_one(storage, x, y + offset, out, count, static_cast<double>(exact_dot(x, y + offset, count)),
                "float16 n=" + std::to_string(count) + " offsets 0, " + std::to_string(offset));
    }
  }
  TUNE_REQUIRE(cudaFree(x));
  TUNE_REQUIRE(cudaFree(y));
  TUNE_REQUIRE(cudaFree(out));
}

__global__ void keep_busy(float* memory, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    memory[i] = memory[i] * 0.5f + 1.0f;
  }
}

template <typename T>
__global__ void fill_reals(T* x, std::int64_t n, std::uint32_t seed) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(static_cast<float>(value_at(i, seed, 1000000)) * 1.1e-6f);
  }
}

/// A thousand launches of each size in four streams with storage of their own, a fifth stream loading the
/// GPU: one bit pattern.
template <typename T>
void check_bits(const char* type) {
  constexpr int streams = 4;
  constexpr int launches = 250;
  constexpr std::int64_t largest = std::int64_t{1} << 22;
  T* x = device_array<T>(largest);
  T* y = device_array<T>(largest + 1);
  auto* outs = device_array<Answer<T>>(streams * launches);
  float* load = device_array<float>(1 << 22);
  TUNE_REQUIRE(cudaMemset(load, 0, sizeof(float) << 22));
  fill_reals<<<1056, 512>>>(x, largest, 3u);
  fill_reals<<<1056, 512>>>(y, largest + 1, 4u);
  cudaStream_t stream[streams + 1];
  for (auto& s : stream) TUNE_REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  std::vector<Storage> storage(streams);
  for (const Storage& s : storage) s.soil(0x5a);
  TUNE_REQUIRE(cudaDeviceSynchronize());
  for (const int shift : {0, 1}) {
    for (const std::int64_t n : {1000, 9001, 30000, 65536, 200001, 600000, 1 << 22}) {
      for (int launch = 0; launch < launches; ++launch) {
        if (launch % 10 == 0) keep_busy<<<264 + launch, 256, 0, stream[streams]>>>(load, 1 << 22);
        for (int s = 0; s < streams; ++s) {
          std::size_t bytes = storage[s].bytes;
          TUNE_REQUIRE(tally_dot::dot_deterministic(storage[s].memory, bytes, x, y + shift,
                                                    outs + s * launches + launch, n, stream[s]));
        }
      }
      std::vector<Answer<T>> got(streams * launches);
      TUNE_REQUIRE(cudaDeviceSynchronize());
      TUNE_REQUIRE(cudaMemcpy(got.data(), outs, got.size() * sizeof got[0], cudaMemcpyDeviceToHost));
      std::set<std::string> patterns;
      for (const auto& value : got)
        patterns.insert(std::string(reinterpret_cast<const char*>(&value), sizeof value));
      expect(patterns.size() == 1, std::string(type) + " n=" + std::to_string(n) + ": " +
                                       std::to_string(patterns.size()) + " bit patterns of 1000 launches");
    }
  }
  std::printf("%s: bits of 1000 launches under load, 7 sizes, y aligned and not\n", type);
  for (auto& s : stream) TUNE_REQUIRE(cudaStreamDestroy(s));
  for (void* memory :
       {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(outs), static_cast<void*>(load)})
    TUNE_REQUIRE(cudaFree(memory));
}

/// Each call reads what the kernel just before it wrote, and the launch overlaps that kernel: 100 in a row
/// without waiting. Then captured calls, replayed on changing inputs.
void check_order() {
  constexpr int rounds = 100;
  cudaStream_t stream = nullptr;
  TUNE_REQUIRE(cudaStreamCreate(&stream));
  auto* outs = device_array<float>(rounds);
  float* x = device_array<float>(1 << 22);
  const Storage storage;
  storage.soil(0xff);
  for (const std::int64_t n : {100, 4096, 65536, 300000, 1 << 22}) {
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, static_cast<std::uint32_t>(round), 2);
      std::size_t bytes = storage.bytes;
      TUNE_REQUIRE(tally_dot::dot(storage.memory, bytes, x, x, outs + round, n, stream));
    }
    TUNE_REQUIRE(cudaStreamSynchronize(stream));
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512>>>(x, n, static_cast<std::uint32_t>(round), 2);
      expect(fetch(outs + round) == static_cast<float>(exact_dot(x, x, n)),
             "n=" + std::to_string(n) + ": call " + std::to_string(round) +
                 " behind the kernel that fills its input");
    }
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    TUNE_REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int call = 0; call < 3; ++call) {
      std::size_t bytes = storage.bytes;
      TUNE_REQUIRE(tally_dot::dot(storage.memory, bytes, x, x + call, outs + call, n - call, stream));
    }
    TUNE_REQUIRE(cudaStreamEndCapture(stream, &graph));
    TUNE_REQUIRE(cudaGraphInstantiate(&replay, graph, 0));
    for (int round = 0; round < 10; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, static_cast<std::uint32_t>(round), 2);
      TUNE_REQUIRE(cudaMemsetAsync(outs, 0x77, 3 * sizeof(float), stream));
      TUNE_REQUIRE(cudaGraphLaunch(replay, stream));
      TUNE_REQUIRE(cudaStreamSynchronize(stream));
      for (int call = 0; call < 3; ++call) {
        expect(fetch(outs + call) == static_cast<float>(exact_dot(x, x + call, n - call)),
               "n=" + std::to_string(n) + ": replay " + std::to_string(round));
      }
    }
    TUNE_REQUIRE(cudaGraphExecDestroy(replay));
    TUNE_REQUIRE(cudaGraphDestroy(graph));
  }
  TUNE_REQUIRE(cudaFree(x));
  TUNE_REQUIRE(cudaFree(outs));
}

void check_refusals() {
  const Storage storage;
  float* x = device_array<float>(1 << 20);
  std::size_t bytes = storage.bytes;
  expect(tally_dot::dot(storage.memory, bytes, x, x, x, -1) == cudaErrorInvalidValue, "n = -1 is refused");
  bytes = 16;
  expect(tally_dot::dot(storage.memory, bytes, x, x, x, 1 << 20) == cudaErrorInvalidValue,
         "too little storage is refused");
  TUNE_REQUIRE(cudaFree(x));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  check_refusals();
  check_type<float>("float32", random);
  check_type<double>("float64", random);
  check_type<__half>("float16", random);
  check_type<__nv_bfloat16>("bfloat16", random);
  check_order();
  check_bits<float>("float32");
  check_bits<__half>("float16");
  check_many();
  std::printf("check_dot: %lld checks, %lld faults: %s\n", checks, faults, faults == 0 ? "PASS" : "FAIL");
  return faults == 0 ? 0 : 1;
}
