/// The command line of `harness`, and nothing else.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "harness/catalog/describe.h"
#include "harness/device/device.h"
#include "harness/results/provenance.h"
#include "harness/sweep/config.h"
#include "harness/sweep/device_choice.h"
#include "harness/sweep/explain.h"
#include "harness/sweep/one_call.h"
#include "harness/sweep/output_file.h"
#include "harness/sweep/plan.h"
#include "harness/sweep/plan_text.h"
#include "harness/sweep/run.h"
#include "harness/sweep/schema.h"
#include "harness/sweep/shard.h"

namespace {

using namespace tally;

enum ExitCode { all_right = 0, something_wrong = 1, bad_input = 2, no_such_device = 3 };

struct Arguments {
  std::string config;
  std::optional<std::string> out;
  std::optional<std::string> device;
  std::optional<std::string> devices;
  std::optional<std::string> filter;
  std::optional<std::string> shard;
  std::optional<std::string> describe;
  std::optional<std::string> results;
  std::optional<std::string> explain;
  ExplainOptions explained;
  std::optional<std::string> call;
  bool list = false;
  bool dry_run = false;
  bool print_schema = false;
  bool resume = false;
  bool force_resume = false;
  bool quiet = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option("CONFIG", arguments.config,
                 "what to measure: a JSON file (configs/schema.json says what it may hold)");
  app.add_option("--out", arguments.out, "results file; default: results/<config>.json")->type_name("FILE");
  app.add_option("--device", arguments.device,
                 "auto, cuda, cuda:N, simt or host; default: the config's, which is auto")
      ->type_name("DEVICE");
  app.add_option("--devices", arguments.devices,
                 "all, or numbers such as 0,2: one worker process a GPU, problems go to whichever is free")
      ->type_name("LIST");
  app.add_option("--filter", arguments.filter, "only cells whose name this regular expression finds")
      ->type_name("REGEX");
  app.add_option("--shard", arguments.shard,
                 "only part i of n, from 0; default: this task's part of a Slurm job array")
      ->type_name("I/N");
  app.add_flag("--dry-run", arguments.dry_run, "print the plan and a time estimate; measure nothing");
  app.add_flag("--resume", arguments.resume, "go on where a run into the same results file was stopped");
  app.add_flag("--force-resume", arguments.force_resume,
               "like --resume, though config, device or revision differ");
  app.add_flag("--quiet", arguments.quiet, "no progress, no tables");
  app.add_flag("--list", arguments.list, "list all variants and baselines");
  auto* describe = app.add_option("--describe", arguments.describe, "say all that is known of an entry")
                       ->type_name("ENTRY");
  app.add_option("--results", arguments.results,
                 "with --describe: a results file, not compressed, for the measured gain")
      ->type_name("FILE")
      ->needs(describe);
  auto* explain =
      app.add_option("--explain", arguments.explain,
                     "say what one call of an entry does: the CPU executor's counts, by source line")
          ->type_name("ENTRY");
  app.add_option("--against", arguments.explained.against, "with --explain: the entry to compare with")
      ->type_name("ENTRY")
      ->needs(explain);
  app.add_option(
         "--call", arguments.call,
         "call each matching variant once on the GPU (or on --device), for a profiler or sanitizer to look at")
      ->type_name("GLOB")
      ->excludes(explain);
  app.add_option("--n", arguments.explained.problem.n, "with --explain and --call: the size")
      ->check(CLI::Range(std::int64_t{1}, most_elements));
  app.add_option("--type", arguments.explained.problem.type, "with --explain and --call: the element type");
  app.add_option("--knob", arguments.explained.problem.knobs,
                 "with --explain and --call: a knob of the family, several times for several")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_flag("--json", arguments.explained.as_json, "with --explain: the counters alone, as JSON")
      ->needs(explain);
  app.add_flag("--print-schema", arguments.print_schema, "print the JSON Schema of configs");
  app.set_version_flag("--version", [] { return version_text(); });
}

/// Throws ConfigError where the options ask for several things at once, of which one only would be done.
void require_one_question(const CLI::App& app, const Arguments& arguments) {
  std::vector<std::string> asked;
  if (!arguments.config.empty()) asked.push_back(arguments.config);
  for (const char* question : {"--describe", "--explain", "--call", "--list", "--print-schema"}) {
    if (app.count(question) > 0) asked.emplace_back(question);
  }
  if (asked.size() > 1) throw ConfigError(asked[0] + " and " + asked[1] + " are two questions; ask one");
  for (const char* option : {"--n", "--type", "--knob"}) {
    if (app.count(option) > 0 && !arguments.explain && !arguments.call)
      throw ConfigError(std::string(option) +
                        " is for --explain and --call; a config has its own sizes and types");
  }
}

std::optional<std::string> environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

nlohmann::json read_results(const std::string& file) {
  std::ifstream stream(file);
  const bool compressed = stream.peek() == 0x1f;  // gzip's first byte, and none of JSON's
  const nlohmann::json results = nlohmann::json::parse(stream, nullptr, false);
  if (compressed)
    throw ConfigError("--results " + file + " is compressed: give what `gunzip -k` makes of it");
  if (!results.is_object()) throw ConfigError("--results " + file + " cannot be read as a results file");
  return results;
}

void describe(const Arguments& arguments) {
  const Entry* const entry = Catalog::instance().find(*arguments.describe);
  if (entry == nullptr) {
    const std::string nearest = Catalog::instance().nearest(*arguments.describe);
    throw ConfigError(
        "there is no entry \"" + *arguments.describe + "\"; " +
        (nearest.empty() ? "`harness --list` shows what there is" : "did you mean \"" + nearest + "\"?"));
  }
  std::string text = description_of(*entry);
  if (arguments.results) {
    text += measured_gain(*entry, read_results(*arguments.results), *arguments.results);
  }
  std::cout << text;
}

int run_config(const Arguments& arguments, const std::string& command_line) {
  const Sweep sweep = read_config(arguments.config);
  const Shard shard = choose_shard(arguments.shard, environment);
  const DeviceChoice device = choose_device(arguments.device.value_or(sweep.device), arguments.devices);
  const std::vector<DeviceFacts> devices =
      probe_devices(device.kind, choose_indices(device, arguments.devices));
  Plan plan = make_plan(sweep, device.kind, facts_of_all(devices));
  if (arguments.filter) plan = filtered(plan, *arguments.filter);
  plan = sharded(plan, shard);
  if (arguments.dry_run) {
    const std::string notice = no_gpu_notice(device.kind);
    if (!notice.empty()) std::cout << notice << "\n";
    std::cout << plan_text(plan, sweep);
    return all_right;
  }
  RunOptions options;
  options.out_path = arguments.out.value_or(default_output(arguments.config, shard));
  require_writable(options.out_path, !arguments.out);
  options.quiet = arguments.quiet;
  options.resume = arguments.resume || arguments.force_resume;
  options.force_resume = arguments.force_resume;
  options.command_line = command_line;
  options.device = device.kind;
  options.devices = devices;
  options.shard = shard;
  return run_sweep(sweep, plan, options);
}

int run(const Arguments& arguments, const std::string& command_line) {
  if (arguments.print_schema) {
    std::cout << config_schema().dump(2) << "\n";
  } else if (arguments.list) {
    std::cout << list_of_entries(Catalog::instance());
  } else if (arguments.describe) {
    describe(arguments);
  } else if (arguments.explain) {
    ExplainOptions asked = arguments.explained;
    asked.entry = *arguments.explain;
    std::cout << explain(asked);
  } else if (arguments.call) {
    const DeviceChoice device = choose_device(arguments.device.value_or("cuda"));
    const bool all_entries_right =
        call_once({*arguments.call, arguments.explained.problem, device.kind, device.index}, std::cout);
    return all_entries_right ? all_right : something_wrong;
  } else if (arguments.config.empty()) {
    throw ConfigError(
        "a CONFIG is missing, such as configs/sweep.json; `harness --help` says what else there is");
  } else {
    return run_config(arguments, command_line);
  }
  return all_right;
}

int fail(ExitCode code, const std::string& message) {
  std::cerr << "harness: " << message << "\n";
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Runs hand-written CUDA kernels next to Thrust and CUB, and says of each whether it is right, how fast it "
      "is and why.\nExit codes: 0 all right; 1 something was wrong, crashed or timed out; 2 bad command line or "
      "config; 3 no such device.");
  app.name("harness");
  Arguments arguments;
  declare(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return fail(bad_input, std::string(error.what()) + " (`harness --help` says what there is)");
  }
  std::string command_line = argv[0];
  for (int i = 1; i < argc; ++i) command_line += std::string(" ") + argv[i];
  try {
    require_one_question(app, arguments);
    return run(arguments, command_line);
  } catch (const ConfigError& error) {
    return fail(bad_input, error.what());
  } catch (const DeviceMissing& error) {
    return fail(no_such_device, error.what());
  } catch (const std::exception& error) {
    return fail(something_wrong, error.what());
  }
}
