#include "harness/device/cuda/cuda_device.h"

#include <cstdlib>
#include <cub/version.cuh>
#include <sstream>

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

std::string bus_id_of(int ordinal) {
  char text[32] = "";
  require(cudaDeviceGetPCIBusId(text, sizeof text, ordinal), "cudaDeviceGetPCIBusId");
  return text;
}

/// What CUDA_VISIBLE_DEVICES calls the GPU that a user knows by that index; empty where it shows fewer.
std::string name_of_visible(int index) {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) return std::to_string(index);
  std::istringstream names(visible);
  std::string name;
  for (int place = 0; place <= index; ++place) {
    if (!std::getline(names, name, ',')) return "";
  }
  return name;
}

/// The number by which CUDA knows that GPU in this process, which sees no other from now on: a driver that
/// looks after one GPU starts in a fraction of the time that it takes for all. Throws DeviceMissing.
int alone_in_process(int index) {
  static int only = -1;
  if (only < 0 && index >= 0) {
    if (const std::string name = name_of_visible(index); !name.empty()) {
      setenv("CUDA_VISIBLE_DEVICES", name.c_str(), 1);
      only = index;
    }
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    const std::string which = index == 0 ? "device cuda: no GPU is there"
                                         : "device cuda:" + std::to_string(index) + ": there is no such GPU";
    throw DeviceMissing(which +
                        (status == cudaSuccess ? "" : std::string(" (") + cudaGetErrorString(status) + ")"));
  }
  const int ordinal = only == index && count == 1 ? 0 : index;
  if (ordinal < 0 || ordinal >= count) {
    const std::string why =
        only >= 0 && only != index
            ? "this process has opened cuda:" + std::to_string(only)
            : "there are " + std::to_string(count) + " GPUs, cuda:0 to cuda:" + std::to_string(count - 1);
    throw DeviceMissing("device cuda:" + std::to_string(index) + ": " + why);
  }
  return ordinal;
}

/// Asked without a context on the GPU, so without what is free there.
DeviceFacts facts_of(int ordinal, int index, const cuda::Nvml& nvml) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  int runtime = 0;
  require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  DeviceFacts facts;
  facts.kind = DeviceKind::cuda;
  facts.index = index;
  facts.name = properties.name;
  facts.uuid = hexadecimal(properties.uuid);
  facts.driver = nvml.driver_version();
  facts.cuda = dotted(runtime, 1000, 10);
  facts.cccl = dotted(CUB_VERSION, 100000, 100) + "." + std::to_string(CUB_VERSION % 100);
  facts.multiprocessors = properties.multiProcessorCount;
  facts.compute_capability = properties.major * 10 + properties.minor;
  facts.l2_bytes = properties.l2CacheSize;
  facts.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  facts.max_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  return facts;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int ordinal, int index) : nvml_(bus_id_of(ordinal)), facts_(facts_of(ordinal, index, nvml_)) {
    require(cudaSetDevice(ordinal), "cudaSetDevice");
    facts_.free_memory_bytes = free_memory();
    queue_ = std::make_unique<CudaQueue>();
    require(cudaMalloc(&hash_, sizeof *hash_), "cudaMalloc(hash)");
    timing_ =
        std::make_unique<cuda::Timing>(static_cast<cudaStream_t>(queue_->native_stream()), facts_.l2_bytes);
  }

  ~CudaDevice() override {
    cudaFree(hash_);
    timing_.reset();
    queue_.reset();
    if (leaves_with_everything_) cudaDeviceReset();
  }
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
    timing_->lose_place();
    cuda::fill(spec, type, array, static_cast<cudaStream_t>(queue_->native_stream()));
    queue_->synchronize();
  }
  void poison(void* memory, std::int64_t bytes) override { set(memory, poison_byte, bytes); }
  void zero(void* memory, std::int64_t bytes) override { set(memory, 0, bytes); }
  void copy(void* target, const void* source, std::int64_t bytes) override {
    timing_->lose_place();
    queue_->copy(target, source, static_cast<std::size_t>(bytes));
    queue_->synchronize();
  }
  void copy_to_host(void* target, const void* source, std::int64_t bytes) override {
    timing_->lose_place();
    queue_->copy_to_host(target, source, static_cast<std::size_t>(bytes));
    queue_->synchronize();
  }

  std::uint64_t hash(const void* array, std::int64_t bytes) override {
    timing_->lose_place();
    unsigned long long hash = 0;
    queue_->memset(hash_, 0, sizeof hash);
    cuda::add_hash(array, bytes, hash_, static_cast<cudaStream_t>(queue_->native_stream()));
    copy_to_host(&hash, hash_, sizeof hash);
    return hash;
  }

  void run(const Work& work) override {
    timing_->lose_place();
    work(*queue_);
    require(cudaGetLastError(), "launch");
    queue_->synchronize();
  }

  double sample(const Work& work, const Work& before, const SampleRequest& request) override {
    return timing_->sample(*queue_, work, before, request);
  }

  Work recorded(const Work& work) override {
    timing_->lose_place();
    return cuda::recorded(*queue_, work);
  }

  std::optional<Ceilings> measure_ceilings() override { return cuda::measure_ceilings(*this); }
  std::optional<Pace> pace() override {
    if (!pace_) pace_ = cuda::measure_pace(*this);
    return pace_;
  }
  int launch_cycle() override { return timing_->launch_cycle(); }
  void leave_with_everything() override { leaves_with_everything_ = true; }
  std::optional<ClockReading> clocks() override { return nvml_.read(); }
  std::unique_ptr<Load> begin_load() override { return cuda::begin_load(facts_); }

 private:
  void set(void* memory, int value, std::int64_t bytes) {
    timing_->lose_place();
    queue_->memset(memory, value, static_cast<std::size_t>(bytes));
    queue_->synchronize();
  }

  cuda::Nvml nvml_;
  DeviceFacts facts_;
  std::unique_ptr<CudaQueue> queue_;
  std::unique_ptr<cuda::Timing> timing_;
  unsigned long long* hash_ = nullptr;  ///< device memory for one number
  std::optional<Pace> pace_;
  bool leaves_with_everything_ = false;
};

}  // namespace

int count_cuda_devices() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::unique_ptr<Device> open_cuda_device(int index) {
  return std::make_unique<CudaDevice>(alone_in_process(index), index);
}

DeviceFacts cuda_device_facts(int index) {
  const int ordinal = alone_in_process(index);
  return facts_of(ordinal, index, cuda::Nvml(bus_id_of(ordinal)));
}

}  // namespace tally
