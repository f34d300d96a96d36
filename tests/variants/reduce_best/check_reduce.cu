/// variants/reduce/best.cuh on a GPU: every type, operation, alignment and size against exact answers;
/// graphs, streams, concurrent load, and the bits of a thousand launches. Needs a Hopper GPU, so it is no
/// part of ./test.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. tests/variants/reduce_best/check_reduce.cu
///   -o check_reduce
///   ./check_reduce [SEED]
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "values.cuh"
#include "variants/reduce/best.cuh"

namespace {

using namespace tune;
using tally_reduce::Answer;

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
  explicit Storage(int offset = 3) {
    TUNE_REQUIRE((tally_reduce::reduce<float>(nullptr, bytes, nullptr, nullptr, 0, tally_reduce::Sum())));
    bytes += 0;
    TUNE_REQUIRE(cudaMalloc(&memory, bytes + 16));
    memory += offset;
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

template <typename T, typename Op>
void check_one(const Storage& storage, const T* x, Answer<T>* out, std::int64_t n, Op op, double expected,
               const std::string& name) {
  Answer<T> poison{};
  std::memset(&poison, 0x77, sizeof poison);
  TUNE_REQUIRE(cudaMemcpy(out, &poison, sizeof poison, cudaMemcpyHostToDevice));
  std::size_t bytes = storage.bytes;
  const cudaError_t status = tally_reduce::reduce(storage.memory, bytes, x, out, n, op);
  expect(status == cudaSuccess, name + ": " + cudaGetErrorString(status));
  const auto got = static_cast<double>(fetch(out));
  expect(got == expected, name + ": " + std::to_string(got) + ", expected " + std::to_string(expected));
}

template <typename T>
void check_type(const char* type, std::mt19937_64& random) {
  const Storage storage;
  constexpr std::int64_t largest = std::int64_t{1} << 25;
  constexpr int offsets = 16 / sizeof(T);
  T* memory = device_array<T>(largest + offsets);
  auto* out = device_array<Answer<T>>(1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= 70; ++n) sizes.push_back(n);
  for (std::int64_t n = 128; n <= largest; n *= 2) {
    for (const std::int64_t near : {n - 1, n, n + 1}) sizes.push_back(std::min(near, largest));
    sizes.push_back(n +
                    static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)) % (largest - n + 1));
  }
  const long long before = checks;
  fill<<<1056, 512>>>(memory, largest + offsets, static_cast<std::uint32_t>(random()), 4);
  for (const std::int64_t n : sizes) {
    for (int offset = 0; offset < offsets;
         offset += n <= 70 || offset == 0 ? 1 : 1 + static_cast<int>(random() % 5)) {
      const T* x = memory + offset;
      const Exact exact = exact_of(x, n);
      storage.soil(static_cast<int>(random() % 256));
      const std::string name =
          std::string(type) + " n=" + std::to_string(n) + " offset=" + std::to_string(offset);
      check_one(storage, x, out, n, tally_reduce::Sum(), static_cast<double>(exact.sum), name + " sum");
      check_one(storage, x, out, n, tally_reduce::Min(), static_cast<double>(exact.smallest), name + " min");
      check_one(storage, x, out, n, tally_reduce::Max(), static_cast<double>(exact.largest), name + " max");
      const auto mean = static_cast<double>(
          static_cast<Answer<T>>(static_cast<Answer<T>>(exact.sum) / static_cast<Answer<T>>(n)));
      check_one(storage, x, out, n, tally_reduce::Mean(), mean, name + " mean");
    }
  }
  using Limits = std::numeric_limits<Answer<T>>;
  check_one<T>(storage, memory, out, 0, tally_reduce::Sum(), 0, std::string(type) + " of nothing, sum");
  const double highest = sizeof(T) == 1         ? 127
                         : Limits::has_infinity ? Limits::infinity()
                                                : static_cast<double>(Limits::max());
  check_one<T>(storage, memory, out, 0, tally_reduce::Min(), highest, std::string(type) + " of nothing, min");
  std::printf("%s: %lld checks\n", type, checks - before);
  TUNE_REQUIRE(cudaFree(memory));
  TUNE_REQUIRE(cudaFree(out));
}

/// More elements than 32 bits count.
void check_many() {
  const Storage storage;
  constexpr std::int64_t n = (std::int64_t{1} << 33) + 13;
  auto* x = device_array<std::int8_t>(n + 1);
  auto* out = device_array<std::int32_t>(1);
  fill<<<1056, 512>>>(x, n + 1, 5u, 4);
  for (const std::int64_t count : {n, (std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) - 1}) {
    for (const int offset : {0, 1}) {
      const Exact exact = exact_of(x + offset, count);
      const std::string name = "int8 n=" + std::to_string(count) + " offset=" + std::to_string(offset);
      check_one(storage, x + offset, out, count, tally_reduce::Sum(),
                static_cast<double>(static_cast<std::int32_t>(exact.sum)), name);
      check_one(storage, x + offset, out, count, tally_reduce::Max(), static_cast<double>(exact.largest),
                name + " max");
    }
  }
  TUNE_REQUIRE(cudaFree(x));
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
__global__ void fill_reals(T* x, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(static_cast<float>(value_at(i, 3u, 1000000)) * 1.1e-6f);
  }
}

/// A thousand launches of each size in four streams with storage of their own, a fifth stream loading the
/// GPU: one bit pattern.
template <typename T>
void check_bits(const char* type) {
  constexpr int streams = 4;
  constexpr int launches = 250;
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  T* x = device_array<T>(largest);
  auto* outs = device_array<Answer<T>>(streams * launches);
  float* load = device_array<float>(1 << 24);
  TUNE_REQUIRE(cudaMemset(load, 0, sizeof(float) << 24));
  fill_reals<<<1056, 512>>>(x, largest);
  cudaStream_t stream[streams + 1];
  for (auto& s : stream) TUNE_REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  std::vector<Storage> storage(streams);
  for (const Storage& s : storage) s.soil(0x5a);
  TUNE_REQUIRE(cudaDeviceSynchronize());
  for (const std::int64_t n :
       {1000, 4096, 9001, 30000, 65536, 200001, 262144, 600000, 1 << 20, 3000001, 1 << 24}) {
    for (int launch = 0; launch < launches; ++launch) {
      if (launch % 10 == 0) keep_busy<<<264 + launch, 256, 0, stream[streams]>>>(load, 1 << 22);
      for (int s = 0; s < streams; ++s) {
        std::size_t bytes = storage[s].bytes;
        TUNE_REQUIRE(tally_reduce::reduce_deterministic(
            storage[s].memory, bytes, x, outs + s * launches + launch, n, tally_reduce::Sum(), stream[s]));
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
  std::printf("%s: bits of 1000 launches under load, 11 sizes\n", type);
  for (auto& s : stream) TUNE_REQUIRE(cudaStreamDestroy(s));
  TUNE_REQUIRE(cudaFree(x));
  TUNE_REQUIRE(cudaFree(outs));
  TUNE_REQUIRE(cudaFree(load));
}

/// Each call reads what the kernel just before it wrote, and the launch overlaps that kernel: 200 in a row
/// without waiting. Then a captured call, replayed on changing inputs.
void check_order() {
  constexpr int rounds = 200;
  cudaStream_t stream = nullptr;
  TUNE_REQUIRE(cudaStreamCreate(&stream));
  auto* outs = device_array<float>(rounds);
  float* x = device_array<float>(1 << 22);
  const Storage storage;
  storage.soil(0xff);
  for (const std::int64_t n : {100, 4096, 16000, 65536, 300000, 1 << 20, 1 << 22}) {
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, static_cast<std::uint32_t>(round), 4);
      std::size_t bytes = storage.bytes;
      TUNE_REQUIRE(
          tally_reduce::reduce(storage.memory, bytes, x, outs + round, n, tally_reduce::Sum(), stream));
    }
    TUNE_REQUIRE(cudaStreamSynchronize(stream));
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512>>>(x, n, static_cast<std::uint32_t>(round), 4);
      expect(fetch(outs + round) == static_cast<float>(exact_of(x, n).sum),
             "n=" + std::to_string(n) + ": call " + std::to_string(round) +
                 " behind the kernel that fills its input");
    }
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t replay = nullptr;
    TUNE_REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int call = 0; call < 3; ++call) {
      std::size_t bytes = storage.bytes;
      TUNE_REQUIRE(
          tally_reduce::reduce(storage.memory, bytes, x, outs + call, n, tally_reduce::Sum(), stream));
    }
    TUNE_REQUIRE(cudaStreamEndCapture(stream, &graph));
    TUNE_REQUIRE(cudaGraphInstantiate(&replay, graph, 0));
    for (int round = 0; round < 20; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, static_cast<std::uint32_t>(round), 4);
      TUNE_REQUIRE(cudaMemsetAsync(outs, 0x77, 3 * sizeof(float), stream));
      TUNE_REQUIRE(cudaGraphLaunch(replay, stream));
      TUNE_REQUIRE(cudaStreamSynchronize(stream));
      const auto expected = static_cast<float>(exact_of(x, n).sum);
      for (int call = 0; call < 3; ++call) {
        expect(fetch(outs + call) == expected,
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
  expect(tally_reduce::reduce(storage.memory, bytes, x, x, -1, tally_reduce::Sum()) == cudaErrorInvalidValue,
         "n = -1 is refused");
  bytes = 16;
  expect(tally_reduce::reduce(storage.memory, bytes, x, x, 1 << 20, tally_reduce::Sum()) ==
             cudaErrorInvalidValue,
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
  check_type<std::int32_t>("int32", random);
  check_type<std::int64_t>("int64", random);
  check_type<__half>("float16", random);
  check_type<__nv_bfloat16>("bfloat16", random);
  check_type<std::int8_t>("int8", random);
  check_order();
  check_bits<float>("float32");
  check_bits<double>("float64");
  check_bits<__half>("float16");
  check_many();
  std::printf("check_reduce: %lld checks, %lld faults\n", checks, faults);
  return faults == 0 ? 0 : 1;
}
