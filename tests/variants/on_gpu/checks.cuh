#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/variants/on_gpu/timing.cuh"
#include "tests/variants/on_gpu/values.cuh"

/// What the programs share that check a best.cuh on a GPU, as a user who knows nothing of the harness calls
/// it. CMake's target gpu_checks builds them.
namespace tune {

inline long long checks = 0;
inline long long faults = 0;

inline void expect(bool holds, const std::string& what) {
  ++checks;
  if (holds) return;
  if (++faults <= 40) std::printf("FAULT: %s\n", what.c_str());
}

/// "float32: 1,234 checks", of those since it was made.
class Section {
 public:
  explicit Section(std::string name) : name_(std::move(name)) {}
  ~Section() { std::printf("%s: %lld checks\n", name_.c_str(), checks - before_); }
  Section(const Section&) = delete;
  Section& operator=(const Section&) = delete;

 private:
  std::string name_;
  long long before_ = checks;
};

/// The last line of a program, and its exit status.
inline int verdict(const char* program) {
  std::printf("%s: %lld checks, %lld faults: %s\n", program, checks, faults, faults == 0 ? "PASS" : "FAIL");
  return faults == 0 ? 0 : 1;
}

/// Seeded by the first argument, or by chance; the seed is printed.
inline std::mt19937_64 random_of(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return std::mt19937_64(seed);
}

/// Device memory for `count` elements, given back at the end.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t count) : bytes_(static_cast<std::size_t>(count) * sizeof(T)) {
    TUNE_REQUIRE(cudaMalloc(&elements_, bytes_));
  }
  ~DeviceArray() { TUNE_REQUIRE(cudaFree(elements_)); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return elements_; }
  std::size_t bytes() const { return bytes_; }
  void set_bytes(int value) const { TUNE_REQUIRE(cudaMemset(elements_, value, bytes_)); }

  /// After everything that was queued anywhere.
  std::vector<T> to_host() const {
    std::vector<T> host(bytes_ / sizeof(T));
    TUNE_REQUIRE(cudaDeviceSynchronize());
    TUNE_REQUIRE(cudaMemcpy(host.data(), elements_, bytes_, cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T* elements_ = nullptr;
  std::size_t bytes_;
};

/// Storage that a careless user gives: at an odd address, with the content of an earlier life.
class Storage {
 public:
  explicit Storage(std::size_t bytes, int content = 0xa5) : bytes_(bytes), memory_(odd_ + bytes) {
    soil(content);
  }
  void* get() const { return memory_.get() + odd_; }
  std::size_t bytes() const { return bytes_; }
  void soil(int content) const { memory_.set_bytes(content); }

 private:
  static constexpr std::int64_t odd_ = 3;
  std::size_t bytes_;
  DeviceArray<unsigned char> memory_;
};

/// A stream that waits for no other.
class Stream {
 public:
  explicit Stream(int priority = 0) {
    TUNE_REQUIRE(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority));
  }
  ~Stream() { TUNE_REQUIRE(cudaStreamDestroy(stream_)); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void synchronize() const { TUNE_REQUIRE(cudaStreamSynchronize(stream_)); }

 private:
  cudaStream_t stream_{};
};

/// What `calls` queues in the stream, captured as a graph, to be replayed there.
class Replay {
 public:
  template <typename Calls>
  Replay(const Stream& stream, Calls calls) : stream_(stream) {
    TUNE_REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    calls();
    TUNE_REQUIRE(cudaStreamEndCapture(stream, &graph_));
    TUNE_REQUIRE(cudaGraphInstantiate(&instance_, graph_, 0));
  }
  ~Replay() {
    TUNE_REQUIRE(cudaGraphExecDestroy(instance_));
    TUNE_REQUIRE(cudaGraphDestroy(graph_));
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  void run() const {
    TUNE_REQUIRE(cudaGraphLaunch(instance_, stream_));
    stream_.synchronize();
  }

 private:
  const Stream& stream_;
  cudaGraph_t graph_{};
  cudaGraphExec_t instance_{};
};

__global__ void keep_busy(float* memory, std::int64_t n) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    memory[i] = memory[i] * 0.5f + 1.0f;
  }
}

/// How many different answers of one A a thousand calls give, made in four streams with storage of their own
/// while a fifth keeps the GPU busy. `call` queues one: call(storage, out, stream).
template <typename A, typename Call>
std::size_t answers_of_a_thousand(std::size_t storage_bytes, Call call) {
  constexpr int streams = 4;
  constexpr int calls = 250;
  constexpr std::int64_t of_load = 1 << 22;
  const DeviceArray<A> outs(streams * calls);
  const DeviceArray<float> load(of_load);
  load.set_bytes(0);
  const Stream stream[streams];
  const Stream busy;
  std::vector<std::unique_ptr<Storage>> storage;
  for (int s = 0; s < streams; ++s) storage.push_back(std::make_unique<Storage>(storage_bytes, 0x5a));
  TUNE_REQUIRE(cudaDeviceSynchronize());
  for (int i = 0; i < calls; ++i) {
    if (i % 10 == 0) keep_busy<<<264 + i, 256, 0, busy>>>(load.get(), of_load);
    for (int s = 0; s < streams; ++s) call(*storage[s], outs.get() + s * calls + i, stream[s]);
  }
  std::set<std::string> patterns;
  for (const A& answer : outs.to_host())
    patterns.insert(std::string(reinterpret_cast<const char*>(&answer), sizeof answer));
  return patterns.size();
}

}  // namespace tune
