/// variants/reduce/best.cuh on a GPU: every type, operation, alignment and size against exact answers;
/// graphs, streams, concurrent load, and the bits of a thousand launches. Needs a Hopper GPU, so it is no
/// part of ./test.
///
///   cmake --build build/cuda --target check_reduce && build/cuda/check_reduce [SEED]
#include <cstring>
#include <limits>

#include "tests/variants/on_gpu/checks.cuh"
#include "values.cuh"
#include "variants/reduce/best.cuh"

namespace {

using namespace tune;
using tally_reduce::Answer;

std::size_t storage_bytes() {
  std::size_t bytes = 0;
  TUNE_REQUIRE((tally_reduce::reduce<float>(nullptr, bytes, nullptr, nullptr, 0, tally_reduce::Sum())));
  return bytes;
}

template <typename T, typename Op>
cudaError_t reduce(const Storage& storage, const T* x, Answer<T>* out, std::int64_t n, Op op,
                   cudaStream_t stream = nullptr) {
  std::size_t bytes = storage.bytes();
  return tally_reduce::reduce(storage.get(), bytes, x, out, n, op, stream);
}

template <typename T, typename Op>
void check_one(const Storage& storage, const T* x, const DeviceArray<Answer<T>>& out, std::int64_t n, Op op,
               double expected, const std::string& name) {
  out.set_bytes(0x77);
  const cudaError_t status = reduce(storage, x, out.get(), n, op);
  expect(status == cudaSuccess, name + ": " + cudaGetErrorString(status));
  const auto got = static_cast<double>(out.to_host()[0]);
  expect(got == expected, name + ": " + std::to_string(got) + ", expected " + std::to_string(expected));
}

template <typename T>
void check_type(const char* type, std::mt19937_64& random) {
  const Section section(type);
  const Storage storage(storage_bytes());
  constexpr std::int64_t largest = std::int64_t{1} << 25;
  constexpr int offsets = 16 / sizeof(T);
  const DeviceArray<T> memory(largest + offsets);
  const DeviceArray<Answer<T>> out(1);
  std::vector<std::int64_t> sizes;
  for (std::int64_t n = 1; n <= 70; ++n) sizes.push_back(n);
  for (std::int64_t n = 128; n <= largest; n *= 2) {
    for (const std::int64_t near : {n - 1, n, n + 1}) sizes.push_back(std::min(near, largest));
    sizes.push_back(n +
                    static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)) % (largest - n + 1));
  }
  fill<<<1056, 512>>>(memory.get(), largest + offsets, static_cast<std::uint32_t>(random()), 4);
  for (const std::int64_t n : sizes) {
    for (int offset = 0; offset < offsets;
         offset += n <= 70 || offset == 0 ? 1 : 1 + static_cast<int>(random() % 5)) {
      const T* x = memory.get() + offset;
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
  check_one<T>(storage, memory.get(), out, 0, tally_reduce::Sum(), 0, std::string(type) + " of nothing, sum");
  const double highest = sizeof(T) == 1         ? 127
                         : Limits::has_infinity ? Limits::infinity()
                                                : static_cast<double>(Limits::max());
  check_one<T>(storage, memory.get(), out, 0, tally_reduce::Min(), highest,
               std::string(type) + " of nothing, min");
}

/// More elements than 32 bits count.
void check_many() {
  const Section section("many");
  const Storage storage(storage_bytes());
  constexpr std::int64_t n = (std::int64_t{1} << 33) + 13;
  const DeviceArray<std::int8_t> memory(n + 1);
  const DeviceArray<std::int32_t> out(1);
  fill<<<1056, 512>>>(memory.get(), n + 1, 5u, 4);
  for (const std::int64_t count : {n, (std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) - 1}) {
    for (const int offset : {0, 1}) {
      const std::int8_t* x = memory.get() + offset;
      const Exact exact = exact_of(x, count);
      const std::string name = "int8 n=" + std::to_string(count) + " offset=" + std::to_string(offset);
      check_one(storage, x, out, count, tally_reduce::Sum(),
                static_cast<double>(static_cast<std::int32_t>(exact.sum)), name);
      check_one(storage, x, out, count, tally_reduce::Max(), static_cast<double>(exact.largest),
                name + " max");
    }
  }
}

template <typename T>
void check_bits(const char* type) {
  const Section section(std::string(type) + ", bits of 1000 launches under load");
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  const DeviceArray<T> x(largest);
  fill_fractions<<<1056, 512>>>(x.get(), largest, 3u);
  for (const std::int64_t n :
       {1000, 4096, 9001, 30000, 65536, 200001, 262144, 600000, 1 << 20, 3000001, 1 << 24}) {
    const std::size_t patterns = answers_of_a_thousand<Answer<T>>(
        storage_bytes(), [&](const Storage& storage, Answer<T>* out, cudaStream_t stream) {
          std::size_t bytes = storage.bytes();
          TUNE_REQUIRE(tally_reduce::reduce_deterministic(storage.get(), bytes, x.get(), out, n,
                                                          tally_reduce::Sum(), stream));
        });
    expect(patterns == 1,
           std::string(type) + " n=" + std::to_string(n) + ": " + std::to_string(patterns) + " bit patterns");
  }
}

/// Each call reads what the kernel just before it wrote, and the launch overlaps that kernel: 200 in a row
/// without waiting. Then captured calls, replayed on changing inputs.
void check_order() {
  const Section section("order");
  constexpr int rounds = 200;
  constexpr int captured = 3;
  const Stream stream;
  const DeviceArray<float> outs(rounds);
  const DeviceArray<float> x(1 << 22);
  const Storage storage(storage_bytes(), 0xff);
  for (const std::int64_t n : {100, 4096, 16000, 65536, 300000, 1 << 20, 1 << 22}) {
    const std::string name = "n=" + std::to_string(n) + ": ";
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512, 0, stream>>>(x.get(), n, static_cast<std::uint32_t>(round), 4);
      TUNE_REQUIRE(reduce(storage, x.get(), outs.get() + round, n, tally_reduce::Sum(), stream));
    }
    const std::vector<float> got = outs.to_host();
    for (int round = 0; round < rounds; ++round) {
      fill<<<264, 512>>>(x.get(), n, static_cast<std::uint32_t>(round), 4);
      expect(got[round] == static_cast<float>(exact_of(x.get(), n).sum),
             name + "call " + std::to_string(round) + " behind the kernel that fills its input");
    }
    const Replay replay(stream, [&] {
      for (int call = 0; call < captured; ++call)
        TUNE_REQUIRE(reduce(storage, x.get(), outs.get() + call, n, tally_reduce::Sum(), stream));
    });
    for (int round = 0; round < 20; ++round) {
      fill<<<264, 512, 0, stream>>>(x.get(), n, static_cast<std::uint32_t>(round), 4);
      TUNE_REQUIRE(cudaMemsetAsync(outs.get(), 0x77, captured * sizeof(float), stream));
      replay.run();
      const auto expected = static_cast<float>(exact_of(x.get(), n).sum);
      const std::vector<float> replayed = outs.to_host();
      for (int call = 0; call < captured; ++call)
        expect(replayed[call] == expected, name + "replay " + std::to_string(round));
    }
  }
}

/// Page-locked host memory with the content of an earlier life.
template <typename A>
class PageLocked {
 public:
  PageLocked() {
    TUNE_REQUIRE(cudaMallocHost(&there_, sizeof *there_));
    std::memset(static_cast<void*>(there_), 0xff, sizeof *there_);
  }
  ~PageLocked() { cudaFreeHost(there_); }
  PageLocked(const PageLocked&) = delete;
  PageLocked& operator=(const PageLocked&) = delete;
  tally_reduce::HostAnswer<A>* get() const { return there_; }

 private:
  tally_reduce::HostAnswer<A>* there_ = nullptr;
};

template <typename T, typename Op>
cudaError_t reduce_to_host(const Storage& storage, const T* x, const PageLocked<Answer<T>>& through,
                           Answer<T>& answer, std::int64_t n, Op op, cudaStream_t stream) {
  std::size_t bytes = storage.bytes();
  return tally_reduce::reduce_to_host(storage.get(), bytes, x, through.get(), answer, n, op, stream);
}

/// The answer that the host watches for, right behind the kernel that writes the input, while what was queued
/// by the call before may still be ending.
template <typename T, typename Op>
void check_to_host(const char* name, Op op, long long Exact::*expected) {
  const Section section(std::string(name) + " to the host");
  constexpr std::int64_t largest = std::int64_t{1} << 24;
  const Stream stream;
  const Storage storage(storage_bytes());
  const DeviceArray<T> x(largest);
  const PageLocked<Answer<T>> through;
  for (const std::int64_t n : {0, 1, 33, 1000, 16384, 70001, 1 << 18, 1000003, 1 << 24}) {
    for (int round = 0; round < 50; ++round) {
      fill<<<264, 512, 0, stream>>>(x.get(), n, static_cast<std::uint32_t>(round), 4);
      Answer<T> answer;
      std::memset(&answer, 0x77, sizeof answer);
      const cudaError_t status = reduce_to_host(storage, x.get(), through, answer, n, op, stream);
      expect(status == cudaSuccess, std::string(name) + ": " + cudaGetErrorString(status));
      if (n == 0 && !std::is_same_v<Op, tally_reduce::Sum>) continue;
      const auto exact = static_cast<double>(exact_of(x.get(), n).*expected);
      expect(static_cast<double>(answer) == exact,
             std::string(name) + " n=" + std::to_string(n) + " to the host: " +
                 std::to_string(static_cast<double>(answer)) + ", expected " + std::to_string(exact));
    }
  }
}

__global__ void fail() { asm volatile("trap;"); }

/// Loses the GPU to this process: the last of all checks, which gives nothing back.
void check_wait_for_what_never_comes() {
  const auto& stream = *new Stream;
  const auto& storage = *new Storage(storage_bytes());
  const auto& x = *new DeviceArray<float>(1 << 20);
  const auto& through = *new PageLocked<float>;
  float answer = 0;
  TUNE_REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  expect(reduce_to_host(storage, x.get(), through, answer, 1 << 20, tally_reduce::Sum(), stream) ==
             cudaErrorStreamCaptureUnsupported,
         "a captured call to the host is refused");
  cudaGraph_t graph{};
  TUNE_REQUIRE(cudaStreamEndCapture(stream, &graph));
  fail<<<1, 1, 0, stream>>>();
  expect(reduce_to_host(storage, x.get(), through, answer, 1 << 20, tally_reduce::Sum(), stream) ==
             cudaErrorLaunchFailure,
         "a wait behind a kernel that failed ends with its error");
}

void check_refusals() {
  const Storage storage(storage_bytes());
  const DeviceArray<float> x(1 << 20);
  expect(reduce(storage, x.get(), x.get(), -1, tally_reduce::Sum()) == cudaErrorInvalidValue,
         "n = -1 is refused");
  std::size_t bytes = 16;
  expect(tally_reduce::reduce(storage.get(), bytes, x.get(), x.get(), 1 << 20, tally_reduce::Sum()) ==
             cudaErrorInvalidValue,
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
  check_type<__half>("float16", random);
  check_type<__nv_bfloat16>("bfloat16", random);
  check_type<std::int8_t>("int8", random);
  check_order();
  check_bits<float>("float32");
  check_bits<double>("float64");
  check_bits<__half>("float16");
  check_many();
  check_to_host<float>("float32 sum", tally_reduce::Sum(), &Exact::sum);
  check_to_host<double>("float64 sum", tally_reduce::Sum(), &Exact::sum);
  check_to_host<__half>("float16 sum", tally_reduce::Sum(), &Exact::sum);
  check_to_host<std::int64_t>("int64 minimum", tally_reduce::Min(), &Exact::smallest);
  check_wait_for_what_never_comes();
  return verdict("check_reduce");
}
