#include "harness/measure/google_benchmark.h"

#include <benchmark/benchmark.h>

#include <exception>
#include <sstream>

namespace tally {
namespace {

/// Keeps the last run instead of printing it.
class KeepingReporter final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    static_cast<void>(context);
    return true;
  }

  void ReportRuns(const std::vector<Run>& report) override {
    for (const Run& run : report) {
      kept = {run.iterations, run.real_accumulated_time, run.cpu_accumulated_time};
    }
  }

  LoopReport kept;
};

}  // namespace

LoopReport run_google_benchmark(const std::string& name, std::int64_t iterations,
                                const std::function<double()>& sample) {
  std::exception_ptr thrown;
  const auto loop = [&](benchmark::State& state) {
    for (auto _ : state) {
      try {
        state.SetIterationTime(sample());
      } catch (...) {
        // Google Benchmark's own bookkeeping must end in order before the exception may go on.
        thrown = std::current_exception();
        state.SkipWithError("the call threw");
        break;
      }
    }
  };
  benchmark::RegisterBenchmark(name.c_str(), loop)->UseManualTime()->Iterations(iterations);
  KeepingReporter reporter;
  std::ostringstream unused;
  reporter.SetOutputStream(&unused);
  reporter.SetErrorStream(&unused);
  benchmark::RunSpecifiedBenchmarks(&reporter, "all");
  benchmark::ClearRegisteredBenchmarks();
  if (thrown) std::rethrow_exception(thrown);
  return reporter.kept;
}

nlohmann::json google_benchmark_context(const std::string& executable) {
  std::ostringstream text;
  std::ostringstream unused;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&text);
  reporter.SetErrorStream(&unused);
  reporter.ReportContext(benchmark::BenchmarkReporter::Context());
  // The reporter leaves the document open for its runs.
  nlohmann::json context = nlohmann::json::parse(text.str() + "]}").at("context");
  context["executable"] = executable;
  context["json_schema_version"] = 1;
  return context;
}

}  // namespace tally
