/// variants/dot/best.cuh on a GPU: every type, size and pair of alignments against exact answers, what lies
/// behind the arrays a NaN; graphs, the kernel in front, and the bits of a thousand launches under load.
/// Needs a Hopper GPU, so it is no part of ./test.
///
///   cmake --build build/cuda --target check_dot && build/cuda/check_dot [SEED]
#include "tests/variants/on_gpu/checks.cuh"
#include "values.cuh"
#include "variants/dot/best.cuh"

namespace {

using namespace tune;
using tally_dot::Answer;

std::size_t storage_bytes() {
  std::size_t bytes = 0;
  TUNE_REQUIRE(tally_dot::dot<float>(nullptr, bytes, nullptr, nullptr, static_cast<float*>(nullptr), 0));
  return bytes;
}

template <typename T, typename Out>
cudaError_t dot(const Storage& storage, const T* x, const T* y, Out* out, std::int64_t n,
                cudaStream_t stream = nullptr) {
  std::size_t bytes = storage.bytes();
  return tally_dot::dot(storage.get(), bytes, x, y, out, n, stream);
}

template <typename T, typename Out>
void check_one(const Storage& storage, const T* x, const T* y, const DeviceArray<Out>& out, std::int64_t n,
               double expected, const std::string& name) {
  out.set_bytes(0x77);
  const cudaError_t status = dot(storage, x, y, out.get(), n);
  expect(status == cudaSuccess, name + ": " + cudaGetErrorString(status));
  const auto got = static_cast<double>(static_cast<float>(out.to_host()[0]));
  expect(got == expected, name + ": " + std::to_string(got) + ", expected " + std::to_string(expected));
}

/// What is around the arrays is all ones, a NaN in every type.
template <typename T>
void check_type(const char* type, std::mt19937_64& random) {
  const Section section(type);
  const Storage storage(storage_bytes());
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  constexpr int offsets = 16 / sizeof(T);
  constexpr std::int64_t around = 64;
  const DeviceArray<T> memory_x(largest + around);
  const DeviceArray<T> memory_y(largest + around);
  const DeviceArray<Answer<T>> out(1);
  const DeviceArray<T> narrow(1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 0; n <= 40; ++n) sizes.push_back(n);
  for (std::int64_t n = 64; n <= largest; n *= 2) {
    for (const std::int64_t near : {n - 1, n, n + 1}) sizes.push_back(std::min(near, largest));
    sizes.push_back(n +
                    static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)) % (largest - n + 1));
  }
  for (const std::int64_t n : sizes) {
    std::vector<std::pair<int, int>> pairs{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    for (int i = 0; i < 3; ++i)
      pairs.emplace_back(static_cast<int>(random() % offsets), static_cast<int>(random() % offsets));
    for (const auto& [of_x, of_y] : pairs) {
      const auto used = static_cast<std::size_t>(n + around) * sizeof(T);
      TUNE_REQUIRE(cudaMemsetAsync(memory_x.get(), 0xff, used));
      TUNE_REQUIRE(cudaMemsetAsync(memory_y.get(), 0xff, used));
      T* x = memory_x.get() + of_x;
      T* y = memory_y.get() + of_y;
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
}

/// More elements than 32 bits count.
void check_many() {
  const Section section("many");
  const Storage storage(storage_bytes());
  constexpr std::int64_t n = (std::int64_t{1} << 32) + 13;
  const DeviceArray<__half> x(n + 1);
  const DeviceArray<__half> y(n + 1);
  const DeviceArray<float> out(1);
  fill<<<1056, 512>>>(x.get(), n + 1, 5u, 1);
  fill<<<1056, 512>>>(y.get(), n + 1, 6u, 1);
  for (const std::int64_t count : {n, (std::int64_t{1} << 31) + 1}) {
    for (const int offset : {0, 1}) {
      const __half* from = y.get() + offset;
      check_one(storage, x.get(), from, out, count, static_cast<double>(exact_dot(x.get(), from, count)),
                "float16 n=" + std::to_string(count) + " offsets 0, " + std::to_string(offset));
    }
  }
}

template <typename T>
void check_bits(const char* type) {
  const Section section(std::string(type) + ", bits of 1000 launches under load");
  constexpr std::int64_t largest = std::int64_t{1} << 22;
  const DeviceArray<T> x(largest);
  const DeviceArray<T> y(largest + 1);
  fill_fractions<<<1056, 512>>>(x.get(), largest, 3u);
  fill_fractions<<<1056, 512>>>(y.get(), largest + 1, 4u);
  for (const int shift : {0, 1}) {
    for (const std::int64_t n : {1000, 9001, 30000, 65536, 200001, 600000, 1 << 22}) {
      const std::size_t patterns = answers_of_a_thousand<Answer<T>>(
          storage_bytes(), [&](const Storage& storage, Answer<T>* out, cudaStream_t stream) {
            std::size_t bytes = storage.bytes();
            TUNE_REQUIRE(
                tally_dot::dot_deterministic(storage.get(), bytes, x.get(), y.get() + shift, out, n, stream));
          });
      expect(patterns == 1, std::string(type) + " n=" + std::to_string(n) + ", y shifted by " +
                                std::to_string(shift) + ": " + std::to_string(patterns) + " bit patterns");
    }
  }
}

/// Each call reads what the kernel just before it wrote, and the launch overlaps that kernel: 100 in a row
/// without waiting. Then captured calls, replayed on changing inputs.
void check_order() {
  const Section section("order");
  constexpr int rounds = 100;
  constexpr int captured = 3;
  const Stream stream;
  const DeviceArray<float> outs(rounds);
  const DeviceArray<float> memory(1 << 22);
  float* const x = memory.get();
  const Storage storage(storage_bytes(), 0xff);
  for (const std::int64_t n : {100, 4096, 65536, 300000, 1 << 22}) {
    const std::string name = "n=" + std::to_string(n) + ": ";
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, static_cast<std::uint32_t>(round), 2);
      TUNE_REQUIRE(dot(storage, x, x, outs.get() + round, n, stream));
    }
    const std::vector<float> got = outs.to_host();
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512>>>(x, n, static_cast<std::uint32_t>(round), 2);
      expect(got[round] == static_cast<float>(exact_dot(x, x, n)),
             name + "call " + std::to_string(round) + " behind the kernel that fills its input");
    }
    const Replay replay(stream, [&] {
      for (int call = 0; call < captured; ++call)
        TUNE_REQUIRE(dot(storage, x, x + call, outs.get() + call, n - call, stream));
    });
    for (int round = 0; round < 10; ++round) {
      fill<<<264, 512, 0, stream>>>(x, n, static_cast<std::uint32_t>(round), 2);
      TUNE_REQUIRE(cudaMemsetAsync(outs.get(), 0x77, captured * sizeof(float), stream));
      replay.run();
      const std::vector<float> replayed = outs.to_host();
      for (int call = 0; call < captured; ++call)
        expect(replayed[call] == static_cast<float>(exact_dot(x, x + call, n - call)),
               name + "replay " + std::to_string(round));
    }
  }
}

void check_refusals() {
  const Storage storage(storage_bytes());
  const DeviceArray<float> x(1 << 20);
  expect(dot(storage, x.get(), x.get(), x.get(), -1) == cudaErrorInvalidValue, "n = -1 is refused");
  std::size_t bytes = 16;
  expect(tally_dot::dot(storage.get(), bytes, x.get(), x.get(), x.get(), 1 << 20) == cudaErrorInvalidValue,
         "too little storage is refused");
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random = random_of(argc, argv);
  check_refusals();
  check_type<float>("float32", random);
  check_type<double>("float64", random);
  check_type<__half>("float16", random);
  check_type<__nv_bfloat16>("bfloat16", random);
  check_order();
  check_bits<float>("float32");
  check_bits<__half>("float16");
  check_many();
  return verdict("check_dot");
}
