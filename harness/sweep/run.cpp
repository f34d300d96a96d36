#include "harness/sweep/run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "harness/measure/google_benchmark.h"
#include "harness/measure/memory.h"
#include "harness/results/ladder.h"
#include "harness/results/progress.h"
#include "harness/results/provenance.h"
#include "harness/results/tables.h"
#include "harness/results/text_table.h"
#include "harness/sweep/device_choice.h"
#include "harness/sweep/estimate.h"
#include "harness/sweep/interruption.h"
#include "harness/sweep/output_lock.h"
#include "harness/sweep/run_document.h"
#include "harness/sweep/scheduler.h"

namespace tally {
namespace {

enum ExitCode { all_right = 0, something_wrong = 1, refused = 2, no_such_device = 3, signalled = 128 };

int fail(ExitCode code, const std::string& message) {
  std::cerr << "harness: " << message << "\n";
  return code;
}

/// One run from its journal to its results file.
class SweepRun {
 public:
  SweepRun(const Sweep& sweep, const Plan& plan, const RunOptions& options)
      : sweep_(sweep),
        plan_(plan),
        options_(options),
        journal_path_(options.out_path + ".journal"),
        lock_(options.out_path),
        ledger_(plan, sweep.measure.processes),
        context_(Json::parse(google_benchmark_context("harness").dump())),
        started_(timestamp()) {}
  ~SweepRun() {
    for (const auto& worker : leaving_) worker->retire();
  }
  SweepRun(const SweepRun&) = delete;
  SweepRun& operator=(const SweepRun&) = delete;

  int carry_out() {
    greet();
    {
      Journal journal = open_journal();
      const InterruptionWatch watch;
      const Scheduler::End end = measure(journal);
      if (end == Scheduler::End::interrupted) return leave_interrupted();
    }
    return finish();
  }

 private:
  void greet() const {
    if (options_.quiet) return;
    const std::string notice = no_gpu_notice(options_.device);
    if (!notice.empty()) std::cout << notice << "\n";
    std::cout << plan_.cells() << " cells on " << plan_.groups.size() << " problems, about "
              << wait_in_words(estimated_wait());
    if (plan_.cells_too_large() > 0)
      std::cout << "; " << plan_.cells_too_large() << " cells left out: beyond this device's largest n";
    if (options_.shard.count > 1)
      std::cout << "; shard " << options_.shard.index << " of " << options_.shard.count
                << (plan_.groups.empty() ? ", which is empty" : "");
    if (options_.devices.size() > 1) std::cout << "; on " << options_.devices.size() << " devices";
    std::cout << std::endl;
    if (options_.devices.size() > 1 && options_.device == DeviceKind::simt)
      std::cout << "Workers share the CPU: times of library baselines disturb one another." << std::endl;
  }

  /// Of the whole plan, shared out to the devices.
  double estimated_wait() const {
    return estimated_seconds(plan_, sweep_) / static_cast<double>(options_.devices.size());
  }

  Journal open_journal() {
    const JournalHeader mine = journal_header(sweep_, plan_, options_);
    if (!std::filesystem::exists(journal_path_) || never_began(journal_path_))
      return Journal::begin(journal_path_, mine);
    if (!options_.resume) {
      // It may hold hours of a run that was killed.
      std::string kept = journal_path_ + ".old";
      for (int number = 2; std::filesystem::exists(kept); ++number)
        kept = journal_path_ + ".old-" + std::to_string(number);
      std::filesystem::rename(journal_path_, kept);
      say("the journal of a run that did not end is kept as " + kept +
          "; --resume would have gone on with it");
      return Journal::begin(journal_path_, mine);
    }
    JournalContent content = read_journal(journal_path_);
    const std::string difference = difference_between(content.header, mine);
    if (!difference.empty() && !options_.force_resume) {
      throw ConfigError("--resume: " + journal_path_ + " is of another run: " + difference +
                        "; --force-resume goes on all the same, without --resume a new run begins");
    }
    require_same_kind(content.devices);
    ledger_.take_over(content);
    earlier_devices_ = content.devices;
    say("going on after " + std::to_string(ledger_.cells_done()) + " of " +
        std::to_string(ledger_.cells_in_all()) + " cells");
    return Journal::go_on(journal_path_, content.whole_bytes);
  }

  Scheduler::End measure(Journal& journal) {
    std::vector<double> weights;
    for (const Group& group : plan_.groups) weights.push_back(estimated_seconds(group, sweep_));
    std::vector<WorkerDevice> devices;
    for (const DeviceFacts& facts : options_.devices) {
      devices.push_back({facts.index, identity_of(facts), {}});
      const auto earlier = earlier_devices_.find(identity_of(facts));
      if (earlier == earlier_devices_.end()) continue;
      devices.back().ceilings = earlier->value("ceilings", Json());
      devices.back().best_pace = pace_from_json(*earlier);
    }
    Progress progress(!options_.quiet, ledger_.cells_in_all(), estimated_wait());
    WorkerSetup setup;
    setup.plan = &plan_;
    setup.measure = sweep_.measure;
    setup.check = sweep_.check;
    setup.largest_n = {{DeviceKind::simt, sweep_.simt_max_n}, {DeviceKind::host, sweep_.host_max_n}};
    setup.device = options_.device;
    Scheduler::Hooks hooks;
    hooks.say = [this, &progress](const std::string& line) {
      progress.clear();
      say(line);
    };
    hooks.interruptions = [] { return InterruptionWatch::count(); };
    Scheduler scheduler(setup, devices, ledger_, journal, progress, weights, hooks,
                        {lock_.descriptor(), journal.descriptor()});
    const Scheduler::End end = scheduler.run();
    seconds_spent_ = scheduler.seconds_spent();
    leaving_ = scheduler.leaving_workers();
    return end;
  }

  /// A journal of another kind of card is not gone on with: its rows would not be comparable. Another card of
  /// the same kind begins unfinished problems afresh, as a requeued job must that comes to another node.
  void require_same_kind(const Json& earlier_devices) const {
    if (options_.force_resume) return;
    const std::string& now = options_.devices.front().name;
    for (const Json& facts : earlier_devices) {
      const std::string before = facts.value("name", "");
      if (before == now) continue;
      throw ConfigError("--resume: " + journal_path_ + " is of another device: " + before + ", not " + now +
                        "; --force-resume goes on all the same");
    }
  }

  /// Leaves the results file and returns the failures in it.
  std::vector<Failure> write_results(std::vector<Row>& rows) const {
    const JournalContent content = read_journal(journal_path_);
    DocumentHead head = document_head(sweep_, plan_, options_, content.devices, context_, started_);
    head.tally["seconds"] = {{"wall", watch_.seconds()}, {"workers", seconds_spent_}};
    const Json document = make_document(head, content);
    write_whole(options_.out_path, document_text(document));
    for (const Json& row : document.at("benchmarks")) rows.push_back(row_from_json(row));
    return all_failures(head, content);
  }

  int leave_interrupted() const {
    std::vector<Row> rows;
    write_results(rows);
    std::cerr << "harness: interrupted after " << ledger_.cells_done() << " of " << ledger_.cells_in_all()
              << " cells; " << options_.out_path << " has what there is, --resume goes on\n";
    return signalled + InterruptionWatch::first_signal();
  }

  int finish() const {
    std::vector<Row> rows;
    const std::vector<Failure> failures = write_results(rows);
    std::filesystem::remove(journal_path_);
    if (!options_.quiet) {
      std::cout << tables_of(rows) << ladders_of(rows, stages_in_catalog) << failures_in_words(failures)
                << "\n"
                << options_.out_path << ": " << rows.size() << " rows\n"
                << time_in_words(watch_.seconds(), seconds_spent_) << std::endl;
    }
    const bool wrong = std::any_of(failures.begin(), failures.end(), [](const Failure& failure) {
      return failure.status != Failure::Status::skipped && failure.status != Failure::Status::known_wrong;
    });
    return wrong ? something_wrong : all_right;
  }

  void say(const std::string& line) const { std::cerr << "harness: " << line << std::endl; }

  const Sweep& sweep_;
  const Plan& plan_;
  const RunOptions& options_;
  std::string journal_path_;
  OutputLock lock_;
  Ledger ledger_;
  Json context_;
  std::string started_;
  Stopwatch watch_;
  std::map<std::string, double> seconds_spent_;          ///< by all workers, on each kind of work
  Json earlier_devices_ = Json::object();                ///< by identity
  std::vector<std::unique_ptr<WorkerProcess>> leaving_;  ///< their GPUs, while the results are written
};

}  // namespace

int run_sweep(const Sweep& sweep, const Plan& plan, const RunOptions& options) {
  try {
    return SweepRun(sweep, plan, options).carry_out();
  } catch (const ConfigError& error) {
    return fail(refused, error.what());
  } catch (const DeviceMissing& error) {
    return fail(no_such_device, error.what());
  } catch (const std::exception& error) {
    return fail(something_wrong, error.what());
  }
}

}  // namespace tally
