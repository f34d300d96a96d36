/// variants/scan/best.cuh on a GPU: every type, both kinds, alignments and sizes against what each step must
/// be; graphs, streams, concurrent load, and the bits of many launches. Needs a Hopper GPU, so it is no part
/// of ./test.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. tests/variants/scan_best/check_scan.cu
///        -o check_scan
///   ./check_scan [SEED]
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "values.cuh"
#include "variants/scan/best.cuh"

namespace {

using namespace tune;

constexpr int guard = 64;               // elements before and after the result that must stay as they are
constexpr unsigned char poison = 0xff;  // of a float, a NaN

long long checks = 0;
long long faults = 0;

void expect(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  if (++faults <= 40) std::printf("FAIL %s\n", what.c_str());
}

template <typename T>
T* device_array(std::int64_t n) {
  T* array = nullptr;
  TUNE_REQUIRE(cudaMalloc(&array, static_cast<std::size_t>(n) * sizeof(T)));
  return array;
}

template <typename T>
cudaError_t scan(void* storage, std::size_t& bytes, const T* x, T* out, std::int64_t n, bool inclusive,
                 cudaStream_t stream = nullptr) {
  return inclusive ? tally_scan::inclusive_sum(storage, bytes, x, out, n, stream)
                   : tally_scan::exclusive_sum(storage, bytes, x, out, n, stream);
}

/// Storage that a careless user gives: odd address, content of an earlier life.
struct Storage {
  unsigned char* memory = nullptr;
  std::size_t bytes = 0;

  template <typename T>
  static Storage of(std::int64_t n, int soil) {
    Storage storage;
    TUNE_REQUIRE(scan<T>(nullptr, storage.bytes, nullptr, nullptr, n, true));
    TUNE_REQUIRE(cudaMalloc(&storage.memory, storage.bytes + 3));
    storage.memory += 3;
    TUNE_REQUIRE(cudaMemset(storage.memory, soil, storage.bytes));
    return storage;
  }
  void release() const { TUNE_REQUIRE(cudaFree(memory - 3)); }
};

unsigned long long* counters() {
  static auto* memory = device_array<unsigned long long>(3);
  return memory;
}

/// Expects the `n` results at `out` right, and the elements around them untouched if `guarded`.
template <typename T>
void expect_right(const T* x, const T* out, std::int64_t n, bool inclusive, bool guarded,
                  const std::string& name) {
  TUNE_REQUIRE(cudaMemset(counters(), 0, 3 * sizeof(unsigned long long)));
  TUNE_REQUIRE(cudaMemset(counters() + 1, 0xff, sizeof(unsigned long long)));
  count_wrong_steps<<<528, 256>>>(x, out, n, inclusive, counters(), counters() + 1);
  if (guarded) {
    const auto byte = [](const T* at) { return reinterpret_cast<const unsigned char*>(at); };
    count_changed<<<1, 256>>>(byte(out - guard), byte(out), poison, counters() + 2);
    count_changed<<<1, 256>>>(byte(out + n), byte(out + n + guard), poison, counters() + 2);
  }
  unsigned long long got[3]{};
  TUNE_REQUIRE(cudaMemcpy(got, counters(), sizeof got, cudaMemcpyDefault));
  expect(got[0] == 0,
         name + ": " + std::to_string(got[0]) + " wrong steps, the first at " + std::to_string(got[1]));
  expect(got[2] == 0, name + ": " + std::to_string(got[2]) + " bytes beside the result changed");
}

template <typename T>
void check_type(const char* type, std::mt19937_64& random) {
  std::vector<std::int64_t> sizes{
      0,    1,    2,    31,    33,    127,    128,     129,           1000,    4095,
      4097, 8192, 8193, 65535, 65537, 262143, 1000003, (1 << 20) + 1, 1 << 24, (1 << 25) + 7};
  for (int i = 0; i < 12; ++i) sizes.push_back(static_cast<std::int64_t>(random() % (1u << 23)));
  const std::int64_t most = (std::int64_t{1} << 25) + 64;
  T* x = device_array<T>(most);
  T* room = device_array<T>(most + 2 * guard);
  for (const std::int64_t n : sizes) {
    const auto seed = static_cast<std::uint32_t>(random());
    fill<<<528, 512>>>(x, n + 16, seed, 4);
    const Storage storage = Storage::of<T>(n, static_cast<int>(random() % 256));
    for (const bool inclusive : {true, false}) {
      for (const auto& [of_x, of_out] : {std::pair{0, 0}, {1, 1}, {1, 0}, {0, 1}, {3, 2}}) {
        const std::string name = std::string(type) + (inclusive ? " inclusive" : " exclusive") +
                                 " n=" + std::to_string(n) + " x+" + std::to_string(of_x) + " out+" +
                                 std::to_string(of_out);
        T* const out = room + guard + of_out;
        TUNE_REQUIRE(cudaMemset(room, poison, static_cast<std::size_t>(n + 2 * guard + 4) * sizeof(T)));
        std::size_t bytes = storage.bytes;
        const cudaError_t status = scan(storage.memory, bytes, x + of_x, out, n, inclusive);
        expect(status == cudaSuccess, name + ": " + cudaGetErrorString(status));
        expect_right(x + of_x, out, n, inclusive, true, name);
      }
      T* const out = room + guard;
      TUNE_REQUIRE(cudaMemcpy(out, x, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDefault));
      std::size_t bytes = storage.bytes;
      TUNE_REQUIRE(scan(storage.memory, bytes, out, out, n, inclusive));
      expect_right(x, out, n, inclusive, false, std::string(type) + " in place n=" + std::to_string(n));
    }
    storage.release();
  }
  TUNE_REQUIRE(cudaFree(x));
  TUNE_REQUIRE(cudaFree(room));
}

template <typename T>
__global__ void fill_fractions(T* x, std::int64_t n, std::uint32_t seed) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    x[i] = static_cast<T>(value_at(i, seed, 1 << 20)) / static_cast<T>(3);
  }
}

/// Launches in four streams at once, one pattern of bits for each size: values whose sums do round.
template <typename T>
void check_bits(const char* type) {
  constexpr int streams = 4;
  for (const std::int64_t n : {1000, 20000, 300001, 1 << 20, 5000001, 1 << 24}) {
    T* x = device_array<T>(n);
    fill_fractions<<<528, 512>>>(x, n, 5u);
    cudaStream_t stream[streams];
    T* out[streams];
    Storage storage[streams];
    auto* hash = device_array<unsigned long long>(streams);
    for (int s = 0; s < streams; ++s) {
      int least = 0;
      int greatest = 0;
      TUNE_REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest));
      TUNE_REQUIRE(
          cudaStreamCreateWithPriority(&stream[s], cudaStreamNonBlocking, s % 2 == 0 ? least : greatest));
      out[s] = device_array<T>(n);
      storage[s] = Storage::of<T>(n, 0x5a);
    }
    TUNE_REQUIRE(cudaDeviceSynchronize());
    std::set<unsigned long long> patterns;
    const int rounds = n <= (1 << 20) ? 50 : 20;
    for (int round = 0; round < rounds; ++round) {
      TUNE_REQUIRE(cudaMemset(hash, 0, streams * sizeof *hash));
      TUNE_REQUIRE(cudaDeviceSynchronize());
      for (int s = 0; s < streams; ++s) {
        TUNE_REQUIRE(cudaMemsetAsync(out[s], poison, static_cast<std::size_t>(n) * sizeof(T), stream[s]));
        std::size_t bytes = storage[s].bytes;
        for (int again = 0; again < 3; ++again) {
          TUNE_REQUIRE(scan(storage[s].memory, bytes, x, out[s], n, true, stream[s]));
        }
        hash_bits<<<264, 256, 0, stream[s]>>>(out[s], n, hash + s);
      }
      TUNE_REQUIRE(cudaDeviceSynchronize());
      unsigned long long got[streams]{};
      TUNE_REQUIRE(cudaMemcpy(got, hash, sizeof got, cudaMemcpyDefault));
      patterns.insert(got, got + streams);
    }
    expect(patterns.size() == 1, std::string(type) + " n=" + std::to_string(n) + ": " +
                                     std::to_string(patterns.size()) + " bit patterns");
    for (int s = 0; s < streams; ++s) {
      TUNE_REQUIRE(cudaStreamDestroy(stream[s]));
      TUNE_REQUIRE(cudaFree(out[s]));
      storage[s].release();
    }
    TUNE_REQUIRE(cudaFree(hash));
    TUNE_REQUIRE(cudaFree(x));
  }
}

/// Right behind the kernel that fills the input, storage shared by the calls of one stream; and a graph of
/// three calls, replayed.
void check_order() {
  cudaStream_t stream{};
  TUNE_REQUIRE(cudaStreamCreate(&stream));
  for (const std::int64_t n : {3000, 100000, 1 << 20, (1 << 22) + 5, 1 << 24}) {
    float* x = device_array<float>(n);
    float* out = device_array<float>(3 * n);
    const Storage storage = Storage::of<float>(n, 0xa5);
    std::size_t bytes = storage.bytes;
    for (std::uint32_t round = 0; round < 100; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, round, 4);
      for (int again = 0; again < 2; ++again) {
        TUNE_REQUIRE(scan(storage.memory, bytes, x, out + again * n, n, again == 0, stream));
      }
      if (round % 10 != 9) continue;
      TUNE_REQUIRE(cudaStreamSynchronize(stream));
      for (int again = 0; again < 2; ++again) {
        expect_right(x, out + again * n, n, again == 0, false,
                     "behind the filling kernel n=" + std::to_string(n));
      }
    }
    cudaGraph_t graph{};
    cudaGraphExec_t replay{};
    TUNE_REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int call = 0; call < 3; ++call) {
      TUNE_REQUIRE(scan(storage.memory, bytes, x, out + call * n, n, call != 1, stream));
    }
    TUNE_REQUIRE(cudaStreamEndCapture(stream, &graph));
    TUNE_REQUIRE(cudaGraphInstantiate(&replay, graph, 0));
    for (std::uint32_t round = 0; round < 20; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, 1000 + round, 4);
      TUNE_REQUIRE(cudaMemsetAsync(out, poison, 3 * static_cast<std::size_t>(n) * sizeof(float), stream));
      TUNE_REQUIRE(cudaGraphLaunch(replay, stream));
      TUNE_REQUIRE(cudaStreamSynchronize(stream));
      for (int call = 0; call < 3; ++call) {
        expect_right(x, out + call * n, n, call != 1, false, "replayed graph n=" + std::to_string(n));
      }
    }
    TUNE_REQUIRE(cudaGraphExecDestroy(replay));
    TUNE_REQUIRE(cudaGraphDestroy(graph));
    storage.release();
    TUNE_REQUIRE(cudaFree(x));
    TUNE_REQUIRE(cudaFree(out));
  }
  TUNE_REQUIRE(cudaStreamDestroy(stream));
}

/// More elements than 32 bits count.
void check_many() {
  const std::int64_t n = (std::int64_t{1} << 32) + 13;
  auto* x = device_array<std::int32_t>(n);
  auto* out = device_array<std::int32_t>(n);
  fill<<<1056, 512>>>(x, n, 3u, 1000);
  const Storage storage = Storage::of<std::int32_t>(n, 0xa5);
  std::size_t bytes = storage.bytes;
  TUNE_REQUIRE(scan(storage.memory, bytes, x, out, n, true));
  expect_right(x, out, n, true, false, "int32 n=2^32+13");
  storage.release();
  TUNE_REQUIRE(cudaFree(x));
  TUNE_REQUIRE(cudaFree(out));
}

void check_refusals() {
  float* x = device_array<float>(1 << 20);
  const Storage storage = Storage::of<float>(1 << 20, 0);
  std::size_t bytes = storage.bytes;
  expect(scan(storage.memory, bytes, x, x, -1, true) == cudaErrorInvalidValue, "n = -1 is refused");
  bytes = 16;
  expect(scan(storage.memory, bytes, x, x, 1 << 20, true) == cudaErrorInvalidValue,
         "too little storage is refused");
  storage.release();
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
  check_order();
  check_bits<float>("float32");
  check_bits<double>("float64");
  check_many();
  std::printf("%s check_scan: %lld checks, %lld faults\n", faults == 0 ? "PASS" : "FAIL", checks, faults);
  return faults == 0 ? 0 : 1;
}
