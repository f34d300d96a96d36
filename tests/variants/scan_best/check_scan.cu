/// variants/scan/best.cuh on a GPU: every type, both kinds, alignments and sizes against what each step must
/// be; graphs, streams, concurrent load, and the bits of many launches. Needs a Hopper GPU, so it is no part
/// of ./test.
///
///   cmake --build build/cuda --target check_scan && build/cuda/check_scan [SEED]
#include "tests/variants/on_gpu/checks.cuh"
#include "values.cuh"
#include "variants/scan/best.cuh"

namespace {

using namespace tune;

constexpr int guard = 64;               // elements before and after the result that must stay as they are
constexpr unsigned char poison = 0xff;  // of a float, a NaN

template <typename T>
cudaError_t scan(void* storage, std::size_t& bytes, const T* x, T* out, std::int64_t n, bool inclusive,
                 cudaStream_t stream = nullptr) {
  return inclusive ? tally_scan::inclusive_sum(storage, bytes, x, out, n, stream)
                   : tally_scan::exclusive_sum(storage, bytes, x, out, n, stream);
}

template <typename T>
std::size_t storage_bytes(std::int64_t n) {
  std::size_t bytes = 0;
  TUNE_REQUIRE(scan<T>(nullptr, bytes, nullptr, nullptr, n, true));
  return bytes;
}

template <typename T>
cudaError_t scan(const Storage& storage, const T* x, T* out, std::int64_t n, bool inclusive,
                 cudaStream_t stream = nullptr) {
  std::size_t bytes = storage.bytes();
  return scan(storage.get(), bytes, x, out, n, inclusive, stream);
}

unsigned long long* counters() {
  static const auto& memory = *new DeviceArray<unsigned long long>(3);  // outlives the driver
  return memory.get();
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
  const Section section(type);
  std::vector<std::int64_t> sizes{
      0,    1,    2,    31,    33,    127,    128,     129,           1000,    4095,
      4097, 8192, 8193, 65535, 65537, 262143, 1000003, (1 << 20) + 1, 1 << 24, (1 << 25) + 7};
  for (int i = 0; i < 12; ++i) sizes.push_back(static_cast<std::int64_t>(random() % (1u << 23)));
  constexpr std::int64_t most = (std::int64_t{1} << 25) + 64;
  const DeviceArray<T> memory(most);
  const DeviceArray<T> room(most + 2 * guard);
  T* const x = memory.get();
  for (const std::int64_t n : sizes) {
    fill<<<528, 512>>>(x, n + 16, static_cast<std::uint32_t>(random()), 4);
    const Storage storage(storage_bytes<T>(n), static_cast<int>(random() % 256));
    for (const bool inclusive : {true, false}) {
      for (const auto& [of_x, of_out] : {std::pair{0, 0}, {1, 1}, {1, 0}, {0, 1}, {3, 2}}) {
        const std::string name = std::string(type) + (inclusive ? " inclusive" : " exclusive") +
                                 " n=" + std::to_string(n) + " x+" + std::to_string(of_x) + " out+" +
                                 std::to_string(of_out);
        T* const out = room.get() + guard + of_out;
        TUNE_REQUIRE(cudaMemset(room.get(), poison, static_cast<std::size_t>(n + 2 * guard + 4) * sizeof(T)));
        const cudaError_t status = scan(storage, x + of_x, out, n, inclusive);
        expect(status == cudaSuccess, name + ": " + cudaGetErrorString(status));
        expect_right(x + of_x, out, n, inclusive, true, name);
      }
      T* const out = room.get() + guard;
      TUNE_REQUIRE(cudaMemcpy(out, x, static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDefault));
      TUNE_REQUIRE(scan(storage, out, out, n, inclusive));
      expect_right(x, out, n, inclusive, false, std::string(type) + " in place n=" + std::to_string(n));
    }
  }
}

/// What a stream works with.
template <typename T>
struct Lane {
  Lane(std::int64_t n, int priority) : stream(priority), out(n), storage(storage_bytes<T>(n), 0x5a) {}
  Stream stream;
  DeviceArray<T> out;
  DeviceArray<unsigned long long> hash{1};
  Storage storage;
};

/// Launches in four streams of two priorities at once: one pattern of bits for each size.
template <typename T>
void check_bits(const char* type) {
  const Section section(std::string(type) + ", bits under load");
  int least = 0;
  int greatest = 0;
  TUNE_REQUIRE(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  for (const std::int64_t n : {1000, 20000, 300001, 1 << 20, 5000001, 1 << 24}) {
    const DeviceArray<T> x(n);
    fill_fractions<<<528, 512>>>(x.get(), n, 5u);
    std::vector<std::unique_ptr<Lane<T>>> lanes;
    for (const int priority : {least, greatest, least, greatest})
      lanes.push_back(std::make_unique<Lane<T>>(n, priority));
    TUNE_REQUIRE(cudaDeviceSynchronize());
    std::set<unsigned long long> patterns;
    const int rounds = n <= (1 << 20) ? 50 : 20;
    for (int round = 0; round < rounds; ++round) {
      for (const auto& lane : lanes) {
        T* const out = lane->out.get();
        TUNE_REQUIRE(cudaMemsetAsync(lane->hash.get(), 0, lane->hash.bytes(), lane->stream));
        TUNE_REQUIRE(cudaMemsetAsync(out, poison, lane->out.bytes(), lane->stream));
        for (int again = 0; again < 3; ++again)
          TUNE_REQUIRE(scan(lane->storage, x.get(), out, n, true, lane->stream));
        hash_bits<<<264, 256, 0, lane->stream>>>(out, n, lane->hash.get());
      }
      for (const auto& lane : lanes) patterns.insert(lane->hash.to_host()[0]);
    }
    expect(patterns.size() == 1, std::string(type) + " n=" + std::to_string(n) + ": " +
                                     std::to_string(patterns.size()) + " bit patterns");
  }
}

/// Right behind the kernel that fills the input, storage shared by the calls of one stream; and a graph of
/// three calls, replayed.
void check_order() {
  const Section section("order");
  constexpr int captured = 3;
  const Stream stream;
  for (const std::int64_t n : {3000, 100000, 1 << 20, (1 << 22) + 5, 1 << 24}) {
    const DeviceArray<float> x(n);
    const DeviceArray<float> out(captured * n);
    const Storage storage(storage_bytes<float>(n));
    TUNE_REQUIRE(cudaDeviceSynchronize());
    for (std::uint32_t round = 0; round < 100; ++round) {
      fill<<<264, 512, 0, stream>>>(x.get(), n, round, 4);
      for (int again = 0; again < 2; ++again)
        TUNE_REQUIRE(scan(storage, x.get(), out.get() + again * n, n, again == 0, stream));
      if (round % 10 != 9) continue;
      stream.synchronize();
      for (int again = 0; again < 2; ++again) {
        expect_right(x.get(), out.get() + again * n, n, again == 0, false,
                     "behind the filling kernel n=" + std::to_string(n));
      }
    }
    const Replay replay(stream, [&] {
      for (int call = 0; call < captured; ++call)
        TUNE_REQUIRE(scan(storage, x.get(), out.get() + call * n, n, call != 1, stream));
    });
    for (std::uint32_t round = 0; round < 20; ++round) {
      fill<<<264, 512, 0, stream>>>(x.get(), n, 1000 + round, 4);
      TUNE_REQUIRE(cudaMemsetAsync(out.get(), poison, out.bytes(), stream));
      replay.run();
      for (int call = 0; call < captured; ++call) {
        expect_right(x.get(), out.get() + call * n, n, call != 1, false,
                     "replayed graph n=" + std::to_string(n));
      }
    }
  }
}

/// More elements than 32 bits count.
void check_many() {
  const Section section("many");
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 13;
  const DeviceArray<std::int32_t> x(n);
  const DeviceArray<std::int32_t> out(n);
  fill<<<1056, 512>>>(x.get(), n, 3u, 1000);
  const Storage storage(storage_bytes<std::int32_t>(n));
  TUNE_REQUIRE(scan(storage, x.get(), out.get(), n, true));
  expect_right(x.get(), out.get(), n, true, false, "int32 n=2^32+13");
}

void check_refusals() {
  const DeviceArray<float> x(1 << 20);
  const Storage storage(storage_bytes<float>(1 << 20), 0);
  expect(scan(storage, x.get(), x.get(), -1, true) == cudaErrorInvalidValue, "n = -1 is refused");
  std::size_t bytes = 16;
  expect(scan(storage.get(), bytes, x.get(), x.get(), 1 << 20, true) == cudaErrorInvalidValue,
         "too little storage is refused");
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random = random_of(argc, argv);
  check_refusals();
  check_type<float>("float32", random);
  check_type<double>("float64", random);
  check_type<std::int32_t>("int32", random);
  check_type<std::int64_t>("int64", random);
  check_order();
  check_bits<float>("float32");
  check_bits<double>("float64");
  check_many();
  return verdict("check_scan");
}
