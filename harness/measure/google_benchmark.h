#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace tally {

/// What Google Benchmark reports of one of its runs.
struct LoopReport {
  std::int64_t iterations = 0;
  double real_seconds = 0;  ///< all that the samples said, added up
  double cpu_seconds = 0;   ///< of this thread, over the whole loop
};

/// Runs Google Benchmark's loop under that name with manual time: `sample` is called `iterations` times and
/// says how many seconds its call took. What `sample` throws is thrown again here. Not for two threads at
/// once: Google Benchmark's registry is one for the process.
LoopReport run_google_benchmark(const std::string& name, std::int64_t iterations,
                                const std::function<double()>& sample);

/// Google Benchmark's own "context" (date, host_name, num_cpus, caches, load_avg, …) as its JSON reporter
/// writes it, with `executable` beside it.
nlohmann::json google_benchmark_context(const std::string& executable);

}  // namespace tally
