#include "harness/device/cuda/cuda_device.h"

#include <cub/version.cuh>

#include "harness/device/cuda/ceilings.h"
#include "harness/device/cuda/fill.h"
#include "harness/device/cuda/graph.h"
#include "harness/device/cuda/hash.h"
#include "harness/device/cuda/launch.h"
#include "harness/device/cuda/load.h"
#include "harness/device/cuda/nvml.h"
#include "harness/device/cuda/timing.h"

namespace tally {
namespace {

constexpr int poison_byte = 0xFB;

class CudaQueue final : public DeviceQueue {
 public:
  CudaQueue() { require(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~CudaQueue() override { cudaStreamDestroy(stream_); }
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  void* native_stream() override { return stream_; }
  void memset(void* target, int value, std::size_t bytes) override {
    require(cudaMemsetAsync(target, value, bytes, stream_), "cudaMemsetAsync");
  }
  void copy(void* target, const void* source, std::size_t bytes) override {
    require(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream_),
            "cudaMemcpyAsync(device)");
  }
  void copy_to_host(void* target, const void* source, std::size_t bytes) override {
    require(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToHost, stream_),
            "cudaMemcpyAsync(to host)");
  }
  void synchronize() override { require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_{};
};

std::string dotted(int version, int thousand, int ten) {
  return std::to_string(version / thousand) + "." + std::to_string(version % thousand / ten);
}

std::string hexadecimal(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  char part[3];
  for (const char byte : uuid.bytes) {
    std::snprintf(part, sizeof part, "%02x", static_cast<unsigned char>(byte));
    text += part;
  }
  return text;
}

std::string bus_id_of(int index) {
  char text[32] = "";
  require(cudaDeviceGetPCIBusId(text, sizeof text, index), "cudaDeviceGetPCIBusId");
  return text;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int index) : nvml_(bus_id_of(index)) {
    require(cudaSetDevice(index), "cudaSetDevice");
    read_facts(index);
    queue_ = std::make_unique<CudaQueue>();
    require(cudaMalloc(&hash_, sizeof *hash_), "cudaMalloc(hash)");
    timing_ =
        std::make_unique<cuda::Timing>(static_cast<cudaStream_t>(queue_->native_stream()), facts_.l2_bytes);
  }

  ~CudaDevice() override { cudaFree(hash_); }
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  const DeviceFacts& facts() const override { return facts_; }
  DeviceQueue& queue() override { return *queue_; }

  void* allocate(std::int64_t bytes, const std::string& name) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, static_cast<std::size_t>(bytes));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // this error does not stick: the next call must not see it
      throw DeviceError("no memory for " + std::to_string(bytes) + " bytes (" + name +
                        "): " + std::to_string(free_memory()) + " bytes are free");
    }
    require(status, "cudaMalloc");
    return memory;
  }
  void release(void* memory) override { cudaFree(memory); }

  void* allocate_on_host(std::int64_t bytes) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMallocHost(&memory, static_cast<std::size_t>(bytes));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      throw DeviceError("no page-locked host memory for " + std::to_string(bytes) + " bytes");
    }
    require(status, "cudaMallocHost");
    return memory;
  }
  void release_on_host(void* memory) override { cudaFreeHost(memory); }

  std::int64_t free_memory() override {
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    require(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    return static_cast<std::int64_t>(free_bytes);
  }

  void fill(const InputSpec& spec, ScalarType type, void* array) override {
    cuda::fill(spec, type, array, static_cast<cudaStream_t>(queue_->native_stream()));
    queue_->synchronize();
  }
  void poison(void* memory, std::int64_t bytes) override { set(memory, poison_byte, bytes); }
  void zero(void* memory, std::int64_t bytes) override { set(memory, 0, bytes); }
  void copy(void* target, const void* source, std::int64_t bytes) override {
    queue_->copy(target, source, static_cast<std::size_t>(bytes));
    queue_->synchronize();
  }
  void copy_to_host(void* target, const void* source, std::int64_t bytes) override {
    queue_->copy_to_host(target, source, static_cast<std::size_t>(bytes));
    queue_->synchronize();
  }

  std::uint64_t hash(const void* array, std::int64_t bytes) override {
    unsigned long long hash = 0;
    queue_->memset(hash_, 0, sizeof hash);
    cuda::add_hash(array, bytes, hash_, static_cast<cudaStream_t>(queue_->native_stream()));
    copy_to_host(&hash, hash_, sizeof hash);
    return hash;
  }

  void run(const Work& work) override {
    work(*queue_);
    require(cudaGetLastError(), "launch");
    queue_->synchronize();
  }

  double sample(const Work& work, const Work& before, const SampleRequest& request) override {
    return timing_->sample(*queue_, work, before, request);
  }

  Work recorded(const Work& work) override { return cuda::recorded(*queue_, work); }

  std::optional<Ceilings> measure_ceilings() override { return cuda::measure_ceilings(*this); }
  std::optional<ClockReading> clocks() override { return nvml_.read(); }
  std::unique_ptr<Load> begin_load() override { return cuda::begin_load(facts_); }

 private:
  void set(void* memory, int value, std::int64_t bytes) {
    queue_->memset(memory, value, static_cast<std::size_t>(bytes));
    queue_->synchronize();
  }

  void read_facts(int index) {
    cudaDeviceProp properties{};
    require(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
    std::size_t free_bytes = 0;
    std::size_t all_bytes = 0;
    require(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    int runtime = 0;
    require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    facts_.kind = DeviceKind::cuda;
    facts_.index = index;
    facts_.name = properties.name;
    facts_.uuid = hexadecimal(properties.uuid);
    facts_.driver = nvml_.driver_version();
    facts_.cuda = dotted(runtime, 1000, 10);
    facts_.cccl = dotted(CUB_VERSION, 100000, 100) + "." + std::to_string(CUB_VERSION % 100);
    facts_.multiprocessors = properties.multiProcessorCount;
    facts_.compute_capability = properties.major * 10 + properties.minor;
    facts_.l2_bytes = properties.l2CacheSize;
    facts_.memory_bytes = static_cast<std::int64_t>(all_bytes);
    facts_.free_memory_bytes = static_cast<std::int64_t>(free_bytes);
    facts_.max_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  }

  cuda::Nvml nvml_;
  DeviceFacts facts_;
  std::unique_ptr<CudaQueue> queue_;
  std::unique_ptr<cuda::Timing> timing_;
  unsigned long long* hash_ = nullptr;  ///< device memory for one number
};

}  // namespace

int count_cuda_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::unique_ptr<Device> open_cuda_device(int index) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    throw DeviceMissing(std::string("device cuda: no GPU is there") +
                        (status == cudaSuccess ? "" : std::string(" (") + cudaGetErrorString(status) + ")"));
  }
  if (index < 0 || index >= count) {
    throw DeviceMissing("device cuda:" + std::to_string(index) + ": there are " + std::to_string(count) +
                        " GPUs, cuda:0 to cuda:" + std::to_string(count - 1));
  }
  return std::make_unique<CudaDevice>(index);
}

}  // namespace tally
