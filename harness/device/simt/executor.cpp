#include "harness/device/simt/executor.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/device/simt/block.h"
#include "harness/device/simt/faults.h"
#include "harness/device/simt/recorder.h"
#include "harness/device/simt/symbols.h"
#include "harness/device/simt/text.h"

namespace tally::simt {
namespace {

std::atomic<unsigned> wanted_workers = 0;

/// Below so many threads a grid is done sooner than a second core has begun.
constexpr std::uint64_t threads_worth_a_worker = 2048;

void check_shape(const GridLaunch& launch) {
  using Limits = LaunchLimits;
  const dim3 grid = launch.grid, block = launch.block;
  const auto refuse = [&](const std::string& what) { throw LaunchError(kernel_name(launch) + ": " + what); };
  if (grid.count() == 0) refuse("grid " + triple(grid) + " has no blocks; each extent must be at least 1");
  if (block.count() == 0)
    refuse("block " + triple(block) + " has no threads; each extent must be at least 1");
  if (block.x > Limits::block_x || block.y > Limits::block_y || block.z > Limits::block_z ||
      std::uint64_t{block.x} * block.y * block.z > Limits::threads) {
    refuse("block " + triple(block) + " is too large; at most 1024 threads and (1024, 1024, 64)");
  }
  if (grid.x > Limits::grid_x || grid.y > Limits::grid_y || grid.z > Limits::grid_z) {
    refuse("grid " + triple(grid) + " is too large; at most (2147483647, 65535, 65535)");
  }
  const std::size_t own = static_shared_bytes(launch.kernel);
  if (own > Limits::static_shared_bytes) {
    refuse(std::to_string(own) + " bytes of static shared memory; at most " +
           std::to_string(Limits::static_shared_bytes) + ", more must be dynamic");
  }
  if (launch.shared_bytes + own > Limits::shared_bytes) {
    refuse(std::to_string(launch.shared_bytes) + " bytes of dynamic shared memory" +
           (own > 0 ? " beside " + std::to_string(own) + " static ones" : "") + "; at most " +
           std::to_string(Limits::shared_bytes - own));
  }
}

uint3 block_at(std::uint64_t index, dim3 grid) {
  return {static_cast<unsigned>(index % grid.x), static_cast<unsigned>(index / grid.x % grid.y),
          static_cast<unsigned>(index / grid.x / grid.y)};
}

unsigned workers_for(const GridLaunch& launch, bool recorded) {
  if (recorded) return 1;
  unsigned workers = wanted_workers.load();
  if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
  const std::uint64_t blocks = launch.grid.count();
  const std::uint64_t useful =
      std::max<std::uint64_t>(1, blocks * launch.block.count() / threads_worth_a_worker);
  return static_cast<unsigned>(std::min<std::uint64_t>({workers, blocks, useful}));
}

}  // namespace

void set_worker_count(unsigned workers) { wanted_workers = workers; }

void run_grid(const GridLaunch& launch) {
  if (here().lane != nullptr) throw LaunchError(kernel_name(launch) + ": a kernel cannot launch a kernel");
  check_shape(launch);
  const std::uint64_t blocks = launch.grid.count();
  Recorder* const recorder = begin_recording(launch);
  const unsigned workers = workers_for(launch, recorder != nullptr);
  GridProgress progress(static_cast<int>(workers));
  std::mutex mutex;
  std::exception_ptr failure;

  const auto work = [&] {
    try {
      const FaultGuard guard;
      Worker worker(launch, progress, recorder);
      for (std::uint64_t index; !progress.stopped && (index = progress.next_block.fetch_add(1)) < blocks;) {
        worker.run_block(block_at(index, launch.grid));
      }
    } catch (const Stopped&) {
    } catch (...) {
      progress.stopped = true;
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
    progress.finish();
  };

  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < workers; ++i) others.emplace_back(work);
    work();
  }
  end_recording(recorder);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tally::simt
