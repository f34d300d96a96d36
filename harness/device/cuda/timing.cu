#include <nvtx3/nvToolsExt.h>

#include <chrono>

#include "harness/device/cuda/launch.h"
#include "harness/device/cuda/timing.h"

namespace tally::cuda {
namespace {

constexpr std::uint64_t hold_gives_up_after_ns = 2'000'000'000;

/// After so many the place in the cycle of launches is looked at again: a call need not launch as often as it
/// did when it was first looked at.
constexpr int samples_between_looks = 512;
constexpr int launches_before_cold_call = 2;  // of a flush and of hold()
/// Of longer calls a place is less than half a percent.
constexpr double longest_call_of_all_places = 200e-6;

__global__ void empty_kernel() {}

/// Keeps the stream busy until the host has queued all that is to be timed, so that the host's launch latency
/// is not in the figure. It gives up by itself: an entry that waits for the device inside its call would wait
/// for ever.
__global__ void hold_until_released(volatile std::uint64_t* words, std::uint64_t ticket,
                                    std::uint64_t give_up_after) {
  std::uint64_t begin = 0;
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while (words[0] < ticket) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - begin > give_up_after) {
      words[1] = words[1] + 1;
      return;
    }
  }
}

/// Reads the whole buffer once: what was in the L2 cache is replaced by lines that need no writing back.
__global__ void read_once(const uint4* buffer, std::int64_t count, unsigned* sink) {
  unsigned bits = 0;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const uint4 part = buffer[i];
    bits |= part.x ^ part.y ^ part.z ^ part.w;
  }
  if (bits == 0x5eed5eedu) *sink = bits;  // never so: the buffer is all zeros; but the reads must happen
}

/// The stream was not released in time.
struct HoldGaveUp final : DeviceError {
  HoldGaveUp()
      : DeviceError("the call waits for the device while the stream is held back: declare synchronises()") {}
};

struct NvtxRange {
  explicit NvtxRange(const char* label) { nvtxRangePushA(label); }
  ~NvtxRange() { nvtxRangePop(); }
};

}  // namespace

Timing::Timing(cudaStream_t stream, std::int64_t l2_bytes)
    : stream_(stream),
      flush_bytes_(4 * l2_bytes),
      cycle_({.time_pair = [this] { return pair_of_empties(); },
              .launch_empty = [this] { empty_kernel<<<1, 1, 0, stream_>>>(); },
              .lead = launches_before_cold_call}) {
  require(cudaEventCreate(&start_), "cudaEventCreate");
  require(cudaEventCreate(&stop_), "cudaEventCreate");
  require(cudaMalloc(&flush_buffer_, static_cast<std::size_t>(flush_bytes_)), "cudaMalloc(flush buffer)");
  require(cudaMemset(flush_buffer_, 0, static_cast<std::size_t>(flush_bytes_)), "cudaMemset(flush buffer)");
  require(cudaMalloc(&flush_sink_, sizeof(unsigned)), "cudaMalloc(flush sink)");
  void* words = nullptr;
  require(cudaHostAlloc(&words, 2 * sizeof(std::uint64_t), cudaHostAllocMapped), "cudaHostAlloc(hold)");
  hold_words_ = static_cast<volatile std::uint64_t*>(words);
  hold_words_[0] = 0;
  hold_words_[1] = 0;
  // Kernels are loaded at their first launch, which waits for the device: one of each must run before any
  // hold.
  hold();
  release_hold();
  flush_by_reading();
  flush_by_writing();
  empty_kernel<<<1, 1, 0, stream_>>>();
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
}

Timing::~Timing() {
  cudaFreeHost(const_cast<std::uint64_t*>(hold_words_));
  cudaFree(flush_sink_);
  cudaFree(flush_buffer_);
  cudaEventDestroy(stop_);
  cudaEventDestroy(start_);
}

void Timing::hold() {
  ++holds_;
  hold_until_released<<<1, 1, 0, stream_>>>(hold_words_, holds_, hold_gives_up_after_ns);
  require(cudaGetLastError(), "hold");
}

void Timing::release_hold() { hold_words_[0] = holds_; }

/// Leaves lines in the cache that the timed call must write back: what it costs to flush the obvious way.
void Timing::flush_by_writing() {
  require(cudaMemsetAsync(flush_buffer_, 0, static_cast<std::size_t>(flush_bytes_), stream_), "flush");
}

void Timing::flush_by_reading() {
  constexpr int threads = 512;
  constexpr int blocks = 528;
  read_once<<<blocks, threads, 0, stream_>>>(static_cast<const uint4*>(flush_buffer_),
                                             flush_bytes_ / static_cast<std::int64_t>(sizeof(uint4)),
                                             flush_sink_);
  require(cudaGetLastError(), "flush");
}

double Timing::sample(DeviceQueue& queue, const Device::Work& work, const Device::Work& before,
                      const SampleRequest& request) {
  try {
    return sample_once(queue, work, before, request);
  } catch (const HoldGaveUp&) {
    // Also what a process sees that was stopped for a while (Ctrl-Z, a suspended job): that is over now.
    return sample_once(queue, work, before, request);
  }
}

double Timing::sample_once(DeviceQueue& queue, const Device::Work& work, const Device::Work& before,
                           const SampleRequest& request) {
  if (++samples_since_look_ > samples_between_looks) cycle_.lose();
  const bool has_a_name = *request.label != '\0';
  if (has_a_name && !cycle_.is_known()) look();
  if (!has_a_name || !cycle_.is_known()) {
    cycle_.lose();
    if (before) before(queue);
    return one_sample(queue, work, request);
  }
  const std::string name = std::string(request.label) + "/" + std::to_string(request.batch);
  const auto known = moves_.find(name);
  const bool first = known == moves_.end();
  Moves moves = first ? Moves{} : known->second;
  const auto follow = [&](int& moved, const auto& step) {
    const int place = cycle_.next();
    step();
    if (first) {
      cycle_.lose();
      look();
      moved = cycle_.next() - place;
    } else {
      cycle_.launched(moved);
    }
  };
  // Whatever a flush launches: the calls begin at places behind one another.
  const bool from_all_places =
      request.cache != CacheState::warm && request.clock == Clock::device && request.hold;
  double sum = 0;
  int calls = 0;
  try {
    do {
      if (before) follow(moves.before, [&] { before(queue); });
      if (from_all_places) {
        cycle_.align(next_start_);
        next_start_ = (next_start_ + 1) % LaunchCycle::length;
      }
      double seconds = 0;
      follow(moves.call, [&] { seconds = one_sample(queue, work, request); });
      sum += seconds;
      ++calls;
      if (first && cycle_.is_known()) moves_[name] = moves;
      if (!from_all_places || seconds > longest_call_of_all_places || first) break;
    } while (calls < LaunchCycle::length);
  } catch (...) {
    cycle_.lose();
    throw;
  }
  return sum / calls;
}

void Timing::look() {
  samples_since_look_ = 0;
  cycle_.find();
}

int Timing::launch_cycle() {
  look();
  return cycle_.is_known() ? LaunchCycle::length : 0;
}

double Timing::one_sample(DeviceQueue& queue, const Device::Work& work, const SampleRequest& request) {
  if (request.cache == CacheState::cold) flush_by_reading();
  if (request.cache == CacheState::dirty) flush_by_writing();
  return request.clock == Clock::end_to_end ? end_to_end_seconds(queue, work, request)
                                            : device_seconds([&] { work(queue); }, request);
}

double Timing::pair_of_empties() {
  flush_by_reading();
  const auto launch = [this] {
    empty_kernel<<<1, 1, 0, stream_>>>();
    empty_kernel<<<1, 1, 0, stream_>>>();
  };
  return device_seconds(launch, {});
}

double Timing::device_seconds(const std::function<void()>& call, const SampleRequest& request) {
  const std::uint64_t gave_up = hold_words_[1];
  if (request.hold) {
    hold();
  } else {
    require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  }
  require(cudaEventRecord(start_, stream_), "cudaEventRecord");
  try {
    const NvtxRange range(request.label);
    for (int i = 0; i < request.batch; ++i) call();
  } catch (...) {
    release_hold();  // or the stream would stay held until the kernel gives up
    throw;
  }
  require(cudaEventRecord(stop_, stream_), "cudaEventRecord");
  release_hold();
  require(cudaEventSynchronize(stop_), "timed call");
  if (hold_words_[1] != gave_up) throw HoldGaveUp();
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3 / request.batch;
}

double Timing::end_to_end_seconds(DeviceQueue& queue, const Device::Work& work,
                                  const SampleRequest& request) {
  require(cudaStreamSynchronize(stream_), "cudaStreamSynchronize");
  const NvtxRange range(request.label);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < request.batch; ++i) work(queue);
  // The answer is in host memory now. Where the kernel put it there itself, it may still be ending.
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  require(cudaStreamSynchronize(stream_), "timed call");
  return elapsed.count() / request.batch;
}

}  // namespace tally::cuda
