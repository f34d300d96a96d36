#include "harness/device/cuda/ceilings.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "harness/device/cuda/ceiling_kernels.cuh"
#include "harness/device/cuda/launch.h"

namespace tally::cuda {
namespace {

__global__ void nothing() {}

__global__ void write_word(volatile std::uint64_t* word, std::uint64_t value) { *word = value; }

constexpr int floor_samples = 101;
constexpr int samples_of_batches = 31;

/// The first compute capability with programmatic launches and the bulk copy engine, times ten.
constexpr int first_hopper = 90;

/// A launch that may begin while the kernel before it still runs (compute capability 9.0 and later): the
/// least that a kernel in a stream of kernels can cost.
void launch_programmatically(cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 32;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  require(cudaLaunchKernelEx(&config, nothing), "programmatic launch");
}

double median_of(Device& device, const Device::Work& work, const SampleRequest& request, int samples) {
  device.run(work);  // loads the kernel, which cannot be done while the stream is held
  device.sample(work, {}, request);
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) seconds.push_back(device.sample(work, {}, request));
  std::nth_element(seconds.begin(), seconds.begin() + samples / 2, seconds.end());
  return seconds[static_cast<std::size_t>(samples / 2)];
}

/// Of several ways to do the same: each is tried once, and the best of them are measured.
double least_seconds(Device& device, const std::vector<Device::Work>& ways, const SampleRequest& request,
                     int samples) {
  constexpr std::size_t measured = 3;
  std::vector<std::pair<double, const Device::Work*>> tried;
  for (const Device::Work& way : ways) tried.emplace_back(median_of(device, way, request, 1), &way);
  std::sort(tried.begin(), tried.end());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(measured, tried.size()); ++i)
    least = std::min(least, median_of(device, *tried[i].second, request, samples));
  return least;
}

struct Grid {
  int threads;
  int blocks_per_multiprocessor;
};
constexpr Grid grids[] = {{256, 8}, {512, 4}, {1024, 2}, {512, 2}, {256, 4}};

std::int64_t blocks_on(const DeviceFacts& facts, int of_each_multiprocessor) {
  return static_cast<std::int64_t>(facts.multiprocessors) * of_each_multiprocessor;
}

std::vector<Device::Work> ways_to_read(const DeviceFacts& facts, const uint4* words, std::int64_t count,
                                       int passes, unsigned* sink) {
  std::vector<Device::Work> ways;
  for (const Grid& grid : grids) {
    const std::int64_t blocks = blocks_on(facts, grid.blocks_per_multiprocessor);
    const auto with = [&](auto kernel) {
      ways.emplace_back([=](DeviceQueue& queue) {
        Queue(queue).launch(kernel, {blocks, grid.threads}, words, count, passes, sink);
      });
    };
    with(read_words<4>);
    with(read_words<8>);
  }
  return ways;
}

std::vector<Device::Work> ways_to_read_in_bulk(const DeviceFacts& facts, const uint4* words,
                                               std::int64_t count) {
  struct Shape {
    BulkRing ring;
    int blocks_per_multiprocessor;
  };
  constexpr Shape shapes[] = {{{6, 32 * 1024}, 1}, {{12, 16 * 1024}, 1}, {{3, 32 * 1024}, 2}};
  std::vector<Device::Work> ways;
  for (const Shape& shape : shapes) {
    const std::int64_t blocks = blocks_on(facts, shape.blocks_per_multiprocessor);
    ways.emplace_back([=](DeviceQueue& queue) {
      Queue(queue).launch(read_in_bulk, {blocks, 1, shape.ring.stages * shape.ring.stage_bytes}, words, count,
                          shape.ring);
    });
  }
  return ways;
}

std::vector<Device::Work> ways_to_copy(const DeviceFacts& facts, uint4* target, const uint4* words,
                                       std::int64_t count) {
  std::vector<Device::Work> ways;
  for (const Grid& grid : grids) {
    const std::int64_t blocks = blocks_on(facts, grid.blocks_per_multiprocessor);
    ways.emplace_back([=](DeviceQueue& queue) {
      Queue(queue).launch(copy_words<4>, {blocks, grid.threads}, target, words, count);
    });
  }
  ways.emplace_back([=](DeviceQueue& queue) {
    queue.copy(target, words, static_cast<std::size_t>(count) * sizeof(uint4));
  });
  return ways;
}

/// From the launch, of a kernel or of a graph, to the moment at which the host sees what the kernel wrote:
/// what no answer to the host can go below, however it gets there.
class RoundTrips {
 public:
  explicit RoundTrips(Device& device)
      : device_(device),
        word_(static_cast<volatile std::uint64_t*>(device.allocate_on_host(sizeof(std::uint64_t)))) {}
  ~RoundTrips() { device_.release_on_host(const_cast<std::uint64_t*>(word_)); }
  RoundTrips(const RoundTrips&) = delete;
  RoundTrips& operator=(const RoundTrips&) = delete;

  double by_launch(int samples) { return of(launch_, samples); }
  double by_graph(int samples) { return of(device_.recorded(launch_), samples); }

 private:
  double of(const Device::Work& way, int samples) {
    const Device::Work call = [this, &way](DeviceQueue& queue) {
      *word_ = 0;
      way(queue);
      while (*word_ == 0) {
      }
    };
    return median_of(device_, call, {.cache = CacheState::cold, .clock = Clock::end_to_end}, samples);
  }

  Device& device_;
  volatile std::uint64_t* word_;
  Device::Work launch_ = [this](DeviceQueue& queue) { Queue(queue).launch(write_word, {1, 1}, word_, 1); };
};

}  // namespace

Pace measure_pace(Device& device) {
  constexpr int launches = 13;
  constexpr int samples = 31;
  constexpr int samples_of_trips = 61;
  const auto of = [&](int count) {
    const Device::Work work = [&device, count](DeviceQueue& queue) {
      for (int i = 0; i < count; ++i) Queue(queue).launch(nothing, {device.facts().multiprocessors, 256});
    };
    return median_of(device, work, {.cache = CacheState::cold}, samples);
  };
  return {.launch_gap = (of(launches) - of(1)) / (launches - 1),
          .round_trip = RoundTrips(device).by_launch(samples_of_trips)};
}

Ceilings measure_ceilings(Device& device) {
  Ceilings ceilings;
  const Device::Work empty = [](DeviceQueue& queue) { Queue(queue).launch(nothing, {1, 32}); };
  constexpr int floor_batch = 200;
  ceilings.launch_floor_cold = median_of(device, empty, {.cache = CacheState::cold}, floor_samples);
  const SampleRequest batched{.cache = CacheState::warm, .batch = floor_batch};
  ceilings.launch_floor_batched = median_of(device, empty, batched, samples_of_batches);
  const bool hopper = device.facts().compute_capability >= first_hopper;
  if (hopper) {
    const Device::Work programmatic = [](DeviceQueue& queue) {
      launch_programmatically(static_cast<cudaStream_t>(queue.native_stream()));
    };
    ceilings.launch_floor_batched =
        std::min(ceilings.launch_floor_batched, median_of(device, programmatic, batched, samples_of_batches));
  }

  RoundTrips trips(device);
  ceilings.launch_floor_end_to_end = std::min(trips.by_launch(floor_samples), trips.by_graph(floor_samples));

  // Large enough that ramp-up is below a thousandth, small enough to fit beside any problem.
  const std::int64_t wanted = std::int64_t{4} << 30;
  const std::int64_t bytes = std::min(wanted, device.facts().free_memory_bytes / 4) / 4096 * 4096;
  void* buffer = device.allocate(bytes, "ceiling");
  device.zero(buffer, bytes);
  auto* sink = static_cast<unsigned*>(device.allocate(1 << 20, "ceiling's sink"));
  const auto* words = static_cast<const uint4*>(buffer);
  constexpr auto word = static_cast<std::int64_t>(sizeof(uint4));

  const SampleRequest cold{.cache = CacheState::cold};
  const double floor = ceilings.launch_floor_cold;
  constexpr int samples = 7;
  std::vector<Device::Work> reads = ways_to_read(device.facts(), words, bytes / word, 1, sink);
  if (hopper) {
    for (Device::Work& way : ways_to_read_in_bulk(device.facts(), words, bytes / word))
      reads.push_back(std::move(way));
  }
  const double read = least_seconds(device, reads, cold, samples);
  ceilings.hbm_read = static_cast<double>(bytes) / (read - floor);

  const std::int64_t half = bytes / 2 / word;
  auto* const upper_half = static_cast<uint4*>(buffer) + half;
  const double copy =
      least_seconds(device, ways_to_copy(device.facts(), upper_half, words, half), cold, samples);
  ceilings.hbm_copy = static_cast<double>(bytes) / (copy - floor);

  // Many passes in one launch, so that only the cache is in the figure.
  constexpr int samples_of_passes = 3;
  const SampleRequest warm{.cache = CacheState::warm};
  for (std::int64_t footprint = 1 << 20; footprint <= 2 * device.facts().l2_bytes; footprint *= 2) {
    const int passes = static_cast<int>(std::max<std::int64_t>(8, (std::int64_t{1} << 30) / footprint));
    const double seconds = least_seconds(
        device, ways_to_read(device.facts(), words, footprint / word, passes, sink), warm, samples_of_passes);
    ceilings.l2_read.push_back({footprint, static_cast<double>(footprint) * passes / seconds});
  }
  device.release(sink);
  device.release(buffer);
  return ceilings;
}

}  // namespace tally::cuda
