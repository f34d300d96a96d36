#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "harness/sweep/interruption.h"
#include "harness/sweep/scheduler.h"
#include "tests/harness/measure/fake_device.h"
#include "tests/harness/sweep/planted.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

/// Its memory kills who asks for it, as a host's does that runs out.
class DeadlyDevice final : public testing::FakeDevice {
 public:
  DeadlyDevice() : FakeDevice(DeviceKind::simt) {}
  void* allocate(std::int64_t, const std::string&) override { _exit(66); }
};

/// Runs of real kernels on the CPU executor, by workers whose devices can be made to fail.
class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest()
      : sweep(parse_config(R"({"check": {"sizes": [1, 31], "distributions": ["uniform"], "launches": 2},
            "runs": [{"family": "reduce", "types": ["float32", "int32"], "sizes": [64, 128, 256],
                      "entries": ["reduce/korean_course/reduce2", "reduce/korean_course/reduce4"]}]})",
                           "planted.json")),
        plan(make_plan(sweep, DeviceKind::simt, {})),
        ledger(plan, 1),
        folder(fs::temp_directory_path() / ("tally_scheduler_" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~SchedulerTest() override { fs::remove_all(folder); }

  /// `refusing`: devices that are not there when a worker opens them; `dying`: devices that take it with
  /// them; `without_memory`: all take it with them when it first asks for memory.
  Scheduler::End run(const std::set<int>& refusing, const std::set<int>& dying, bool without_memory = false) {
    WorkerSetup setup;
    setup.plan = &plan;
    setup.measure = sweep.measure;
    setup.check = sweep.check;
    setup.device = DeviceKind::simt;
    setup.open = [=](DeviceKind kind, int index) -> std::unique_ptr<Device> {
      if (refusing.contains(index)) throw DeviceMissing("device " + std::to_string(index) + " fell off");
      if (dying.contains(index)) _exit(77);
      if (without_memory) return std::make_unique<DeadlyDevice>();
      return open_device(kind, index);
    };
    Journal journal = Journal::begin((folder / "journal").string(), {{"schema_version", 1}});
    Progress progress(false, 0, 0);
    Scheduler::Hooks hooks;
    hooks.say = [this](const std::string& line) { said += line + "\n"; };
    hooks.interruptions = [] { return 0; };
    std::vector<WorkerDevice> devices;
    for (const int index : {0, 1, 2}) devices.push_back({index, "simt:" + std::to_string(index), {}});
    const std::vector<double> weights(plan.groups.size(), 1.0);
    const InterruptionWatch watch;  // as in a run: a worker that is gone is no signal
    return Scheduler(setup, devices, ledger, journal, progress, weights, hooks, {}).run();
  }

  /// How many problems were measured on each device.
  std::map<std::string, int> measured() const {
    std::map<std::string, int> problems;
    const JournalContent content = read_journal((folder / "journal").string());
    EXPECT_EQ(content.rows.size(), plan.cells());
    EXPECT_TRUE(content.failures.empty());
    for (const auto& [problem, device] : content.places) ++problems[device];
    return problems;
  }

  Sweep sweep;
  Plan plan;
  Ledger ledger;
  fs::path folder;
  std::string said;
};

TEST_F(SchedulerTest, EveryDeviceGetsProblems) {
  EXPECT_EQ(run({}, {}), Scheduler::End::done);
  const auto problems = measured();
  EXPECT_EQ(problems.size(), 3u);
  EXPECT_EQ(said, "");
}

TEST_F(SchedulerTest, ADeviceThatIsNotThereHandsItsProblemsOn) {
  EXPECT_EQ(run({1}, {}), Scheduler::End::done);
  const auto problems = measured();
  EXPECT_FALSE(problems.contains("simt:1"));
  EXPECT_EQ(said, "device 1 is given up: device 1 fell off\n");
}

TEST_F(SchedulerTest, ADeviceOnWhichWorkersDieHandsItsProblemsOn) {
  EXPECT_EQ(run({0}, {2}), Scheduler::End::done);
  const auto problems = measured();
  EXPECT_EQ(problems.at("simt:1"), static_cast<int>(plan.groups.size()));
  EXPECT_NE(said.find("device 2 is given up: it ended its process with exit code 77"), std::string::npos)
      << said;
}

TEST_F(SchedulerTest, AProblemThatKillsWorkersBeforeItsFirstCallCostsItselfOnly) {
  EXPECT_EQ(run({}, {}, true), Scheduler::End::done);
  EXPECT_EQ(said.find("given up"), std::string::npos) << "the devices are not to blame: " << said;
  const JournalContent content = read_journal((folder / "journal").string());
  EXPECT_TRUE(content.rows.empty());
  ASSERT_EQ(content.failures.size(), plan.cells());
  EXPECT_EQ(content.failures[0].at("reason"), "no worker process brought a result");
}

TEST_F(SchedulerTest, WithoutAnyDeviceTheRunEnds) {
  EXPECT_THROW(run({0, 1, 2}, {}), DeviceMissing);
  EXPECT_THROW(run({}, {0, 1, 2}), std::runtime_error);
}

}  // namespace
}  // namespace tally
