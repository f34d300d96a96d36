#include "harness/device/cuda/load.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "harness/device/cuda/launch.h"

namespace tally::cuda {
namespace {

/// What the L2 cache held is replaced by lines that must be written back.
__global__ void rewrite(uint4* words, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 word = words[i];
    words[i] = make_uint4(word.y + 1, word.z, word.w, word.x);
  }
}

/// Uses its shared memory for so many clock cycles: blocks of others that need much of it must wait or go
/// elsewhere, so that a grid is spread over the GPU in another way each time.
__global__ void occupy(int count, long long cycles) {
  volatile unsigned* cells = dynamic_shared<unsigned>();
  const int first = static_cast<int>(threadIdx.x);
  const int stride = static_cast<int>(blockDim.x);
  for (int i = first; i < count; i += stride) cells[i] = threadIdx.x;
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
    for (int i = first; i < count; i += stride) cells[i] = cells[i] + 1;
  }
}

/// Many blocks that are gone at once, and atomics on a few lines.
__global__ void crowd(unsigned* words, unsigned count) {
  atomicAdd(words + (blockIdx.x * blockDim.x + threadIdx.x) % count, 1u);
}

struct Stream {
  Stream() { require(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "cudaStreamCreate(load)"); }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t handle{};
};

struct Memory {
  explicit Memory(std::int64_t bytes) {
    require(cudaMalloc(&data, static_cast<std::size_t>(bytes)), "cudaMalloc(load)");
  }
  ~Memory() { cudaFree(data); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* data = nullptr;
};

int current_device() {
  int device = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

class Bursts final : public Load {
 public:
  explicit Bursts(const DeviceFacts& facts)
      : device_(current_device()),
        multiprocessors_(static_cast<unsigned>(facts.multiprocessors)),
        shared_bytes_(static_cast<int>(facts.max_shared_bytes / 2)),
        bytes_(std::max(3 * facts.l2_bytes, smallest_buffer)),
        buffer_(bytes_),
        words_(words_of_crowd * static_cast<std::int64_t>(sizeof(unsigned))) {
    require(cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes_),
            "cudaFuncSetAttribute(load)");
    require(cudaMemset(buffer_.data, 0, static_cast<std::size_t>(bytes_)), "cudaMemset(load)");
    require(cudaMemset(words_.data, 0, words_of_crowd * sizeof(unsigned)), "cudaMemset(load)");
    require(cudaDeviceSynchronize(), "cudaMemset(load)");  // on no stream of the load
    require(burst(), "load");                              // also loads the kernels
    worker_ = std::jthread([this](const std::stop_token& stop) { go_on(stop); });
  }

  bool is_on() const override { return is_on_; }

 private:
  static constexpr std::int64_t smallest_buffer = std::int64_t{64} << 20;
  static constexpr unsigned words_of_crowd = 256;
  static constexpr long long cycles_of_occupant = 200'000;  // 0.1 ms at 2 GHz

  /// Nothing may be thrown out of a thread: an error ends the load, and the calls beside it meet the same
  /// one.
  void go_on(const std::stop_token& stop) {
    cudaError_t status = cudaSetDevice(device_);
    while (status == cudaSuccess && !stop.stop_requested()) status = burst();
    is_on_ = status == cudaSuccess;
  }

  cudaError_t burst() {
    constexpr int crowds = 4;
    rewrite<<<2 * multiprocessors_, 512, 0, rewriting_.handle>>>(
        static_cast<uint4*>(buffer_.data), bytes_ / static_cast<std::int64_t>(sizeof(uint4)));
    occupy<<<std::max(multiprocessors_ / 2, 1u), 256, static_cast<std::size_t>(shared_bytes_),
             occupying_.handle>>>(shared_bytes_ / static_cast<int>(sizeof(unsigned)), cycles_of_occupant);
    for (int i = 0; i < crowds; ++i) {
      crowd<<<16 * multiprocessors_, 64, 0, crowding_.handle>>>(static_cast<unsigned*>(words_.data),
                                                                words_of_crowd);
    }
    cudaError_t status = cudaGetLastError();
    for (const Stream* stream : {&rewriting_, &occupying_, &crowding_}) {
      const cudaError_t ended = cudaStreamSynchronize(stream->handle);
      if (status == cudaSuccess) status = ended;
    }
    return status;
  }

  int device_;
  unsigned multiprocessors_;
  int shared_bytes_;
  std::int64_t bytes_;
  Memory buffer_;
  Memory words_;
  Stream rewriting_;
  Stream occupying_;
  Stream crowding_;
  std::atomic<bool> is_on_ = true;
  std::jthread worker_;  // last: it is stopped and has ended before what it uses goes
};

}  // namespace

std::unique_ptr<Load> begin_load(const DeviceFacts& facts) { return std::make_unique<Bursts>(facts); }

}  // namespace tally::cuda
