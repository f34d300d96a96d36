/// \file
/// Runs CUDA kernels, compiled as plain C++, on the CPU. Every thread of a block is a fiber (Boost.Context);
/// a block runs on one core, a grid's blocks are spread over the cores and start in index order. Threads of a
/// block take turns at barriers, warp functions, fences and atomics, and after many accesses, so that a
/// thread may wait for what another writes.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "harness/device/simt/types.h"

/// Where language.h puts kernels, so that they are told from other functions.
#define TALLY_SIMT_KERNEL_SECTION "tally_kernels"

namespace tally::simt {

/// A launch that cannot be done or that failed: an impossible shape, a fault, a deadlock, threads at
/// different barriers. The message names kernel, block, thread and line where they are known.
class LaunchError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Limits of a block and a grid, those of compute capability 9.0.
struct LaunchLimits {
  static constexpr unsigned threads = 1024;
  static constexpr unsigned block_x = 1024, block_y = 1024, block_z = 64;
  static constexpr unsigned grid_x = 0x7fffffff, grid_y = 65535, grid_z = 65535;
  static constexpr std::size_t shared_bytes = 227 * 1024, static_shared_bytes = 48 * 1024;
};

/// One launch, without its types. `call(arguments)` runs the kernel for the current thread.
struct GridLaunch {
  const char* name;  ///< nullptr: the kernel's own name, from the program's symbols
  const void* kernel;
  dim3 grid, block;
  std::size_t shared_bytes;
  void (*call)(const void* arguments);
  const void* arguments;
};

/// Returns when every thread has ended. Throws LaunchError.
void run_grid(const GridLaunch& launch);

/// How many cores a launch may use; 0 means all. While counters are collected a launch uses one, so that
/// counts are the same in every run.
void set_worker_count(unsigned workers);

/// Launches `kernel` over `grid` blocks of `block` threads with `shared_bytes` of dynamic shared memory, and
/// waits. Arguments are converted to the kernel's parameters once, as `<<<>>>` does. Throws LaunchError.
template <typename... P, typename... A>
void launch(const char* name, void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared_bytes,
            A&&... arguments) {
  static_assert(sizeof...(P) == sizeof...(A),
                "a kernel is launched with as many arguments as it has parameters");
  struct Call {
    void (*kernel)(P...);
    std::tuple<std::decay_t<P>...> arguments;
  };
  struct Thread {
    // Calling a kernel is the executor's own work: its accesses are not the kernel's.
    TALLY_SIMT_NOT_COUNTED static void run(const void* pointer) {
      const Call& call = *static_cast<const Call*>(pointer);
      std::apply(call.kernel, call.arguments);
    }
  };
  const Call call{kernel, {static_cast<P>(std::forward<A>(arguments))...}};
  run_grid({name, reinterpret_cast<const void*>(kernel), grid, block, shared_bytes, &Thread::run, &call});
}

}  // namespace tally::simt
