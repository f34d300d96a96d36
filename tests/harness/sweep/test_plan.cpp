#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "harness/sweep/estimate.h"
#include "harness/sweep/plan_text.h"
#include "tests/harness/sweep/planted.h"

namespace tally {
namespace {

using planted::message_of;
using planted::names;
using planted::plan;

std::string refusal(const std::string& run, DeviceKind device = DeviceKind::cuda,
                    const DeviceFacts& facts = {}, const std::string& rest = "") {
  return message_of([&] { plan(run, device, facts, rest); });
}

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "expected: " << part << "\nin:       " << text;
}

TEST(Plan, EveryCombinationIsOneCell) {
  const Plan made = plan(
      R"("sizes": [8, 16], "types": ["float32", "int32"], "op": ["sum", "max"], "entries": ["reduce/ladder/first"],
                            "tunings": {"threads": [128, 256]})",
      DeviceKind::cuda, {}, R"("measure": {"caches": ["cold", "warm"], "clocks": ["device", "end_to_end"]})");
  EXPECT_EQ(made.groups.size(), 8u);
  EXPECT_EQ(made.cells(), 8u * 2 * 2 * 2);
  const auto all = names(made);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(Plan, GroupsHoldOneProblemAndStandInTheConfigsOrder) {
  const Plan made = plan(R"("sizes": [16, 8], "entries": ["reduce/ladder/*", "reduce/library/*"])");
  ASSERT_EQ(made.groups.size(), 2u);
  EXPECT_EQ(made.groups[0].problem.n, 16);
  EXPECT_EQ(made.groups[1].problem.n, 8);
  for (const Group& group : made.groups) {
    for (const Cell& cell : group.cells) EXPECT_EQ(cell.problem.id(), group.problem.id());
  }
}

TEST(Plan, GraphsAreReplayedOnGpusOfEntriesThatDoNotWait) {
  Catalog catalog;
  const std::vector<DeviceKind> everywhere{DeviceKind::cuda, DeviceKind::simt};
  for (const char* const name : {"queues", "waits"}) {
    Entry entry = planted::entry("ladder", name, Entry::Kind::variant, {ScalarType::float32}, everywhere);
    entry.synchronises = name == std::string("waits");
    catalog.add(entry);
  }
  const Sweep sweep = planted::sweep(R"("sizes": [8], "entries": ["reduce/ladder/*"])",
                                     R"("measure": {"clocks": ["graph", "device"]})");
  const Plan on_gpu = make_plan(sweep, DeviceKind::cuda, {}, catalog);
  EXPECT_EQ(names(on_gpu),
            (std::vector<std::string>{"reduce/ladder/queues/op:sum/type:float32/n:8/cold/graph",
                                      "reduce/ladder/queues/op:sum/type:float32/n:8/cold/device",
                                      "reduce/ladder/waits/op:sum/type:float32/n:8/cold/device"}));
  ASSERT_EQ(on_gpu.skipped.size(), 1u);
  expect_in("waits for the device inside its call", on_gpu.skipped[0].reason);
  const Plan on_executor = make_plan(sweep, DeviceKind::simt, {}, catalog);
  EXPECT_EQ(on_executor.cells(), 2u);
  EXPECT_TRUE(on_executor.skipped.empty());
}

TEST(Plan, AnEntryThatNeedsAnAlignedArrayIsSkippedWhereThereIsNone) {
  Catalog catalog;
  Entry entry =
      planted::entry("ladder", "vectors", Entry::Kind::variant, {ScalarType::float32}, {DeviceKind::cuda});
  entry.needs = {{"needs an aligned array",
                  [](const ProblemKey& key, const Tuning&) { return key.integer("misaligned_by") == 0; }}};
  catalog.add(entry);
  catalog.add(
      planted::entry("ladder", "scalars", Entry::Kind::variant, {ScalarType::float32}, {DeviceKind::cuda}));
  const Plan made =
      make_plan(planted::sweep(R"("sizes": [8], "misaligned_by": [0, 1], "entries": ["reduce/ladder/*"])"),
                DeviceKind::cuda, {}, catalog);
  EXPECT_EQ(names(made), (std::vector<std::string>{
                             "reduce/ladder/vectors/op:sum/type:float32/n:8/cold/device",
                             "reduce/ladder/scalars/op:sum/type:float32/n:8/cold/device",
                             "reduce/ladder/scalars/misaligned_by:1/op:sum/type:float32/n:8/cold/device"}));
  ASSERT_EQ(made.skipped.size(), 1u);
  EXPECT_EQ(made.skipped[0].reason, "needs an aligned array");
  EXPECT_EQ(made.skipped[0].cell.problem.integer("misaligned_by"), 1);
}

TEST(Plan, OverlappingRunsAskOnce) {
  const Sweep sweep = parse_config(
      R"({"runs": [{"family": "reduce", "sizes": [8, 8], "entries": ["reduce/ladder/*"]},
                   {"family": "reduce", "sizes": [8], "entries": ["reduce/ladder/first", "reduce/library/sum"]}]})",
      "c.json");
  const Plan made = make_plan(sweep, DeviceKind::cuda, {}, planted::catalog());
  ASSERT_EQ(made.groups.size(), 1u);
  EXPECT_EQ(made.cells(), 5u);
  EXPECT_EQ(made.groups[0].baselines, std::vector<std::string>{"reduce/library/sum"});
}

TEST(Plan, ConfiguredBaselinesAreMeasuredToo) {
  const Plan made = plan(
      R"("sizes": [8], "entries": ["reduce/ladder/second"], "baseline": ["reduce/ladder/first", "reduce/library/*"])");
  EXPECT_EQ(made.cells(), 3u);
  EXPECT_EQ(made.groups[0].baselines,
            (std::vector<std::string>{"reduce/ladder/first", "reduce/library/sum"}));
}

TEST(Plan, KnownWrongEntriesAreCheckedOnceAndNothingIsComparedWithThem) {
  const Plan made = plan(R"("sizes": [8], "entries": ["reduce/ladder/as_published"])", DeviceKind::cuda, {},
                         R"("measure": {"caches": ["cold", "warm"]})");
  EXPECT_EQ(made.cells(), 1u);
  EXPECT_TRUE(made.groups[0].baselines.empty());
  expect_in(
      "known to be wrong",
      refusal(
          R"("sizes": [8], "entries": ["reduce/ladder/first"], "baseline": "reduce/ladder/as_published")"));
}

TEST(Plan, OnTheExecutorVariantsRunThereAndLibrariesOnTheHost) {
  const Plan made =
      plan(R"("sizes": [8])", DeviceKind::simt, {}, R"("measure": {"caches": ["cold", "warm"]})");
  std::map<std::string, DeviceKind> devices;
  for (const Cell& cell : made.groups.at(0).cells) devices[cell.entry->name] = cell.device;
  EXPECT_EQ(devices, (std::map<std::string, DeviceKind>{{"first", DeviceKind::simt},
                                                        {"second", DeviceKind::simt},
                                                        {"as_published", DeviceKind::simt},
                                                        {"host", DeviceKind::host}}));
  EXPECT_EQ(made.cells(), 4u) << "the executor knows no cache state";
  std::map<std::string, std::string> reasons;
  for (const LeftOut& left : made.left_out) reasons[left.what] = left.reason;
  EXPECT_EQ(reasons.at("reduce/ladder/gpu_only"), "thread-block clusters");
  expect_in("runs on cuda", reasons.at("reduce/library/sum"));
}

TEST(Plan, OnTheHostOnlyLibrariesRun) {
  const Plan made = plan(R"("sizes": [8])", DeviceKind::host);
  EXPECT_EQ(names(made), std::vector<std::string>{"reduce/library/host/op:sum/type:float32/n:8/cold/device"});
}

TEST(Plan, AnOlderGpuLeavesOutWhatItLacks) {
  DeviceFacts facts;
  facts.compute_capability = 80;
  const Plan made = plan(R"("sizes": [8], "entries": ["reduce/ladder/*"])", DeviceKind::cuda, facts);
  ASSERT_EQ(made.left_out.size(), 1u);
  EXPECT_EQ(made.left_out[0].reason, "needs compute capability 9.0, and this GPU has 8.0");
}

TEST(Plan, SizesBeyondTheCapAreLeftOutAndCounted) {
  const std::string run =
      R"("sizes": [8, 16, 32], "entries": ["reduce/ladder/first", "reduce/ladder/second"])";
  const Plan made = plan(run, DeviceKind::simt, {}, R"("simt": {"max_n": 16})");
  EXPECT_EQ(made.cells(), 4u);
  EXPECT_EQ(made.cells_too_large(), 2u);
  EXPECT_EQ(made.left_out.at(0).reason, "beyond simt.max_n = 16");
  EXPECT_EQ(plan(run, DeviceKind::cuda, {}, R"("simt": {"max_n": 16})").cells_too_large(), 0u);
  expect_in("beyond simt.max_n = 4", refusal(run, DeviceKind::simt, {}, R"("simt": {"max_n": 4})"));
}

TEST(Plan, WhatAnEntryCannotTakeIsSkippedWithItsReason) {
  const Plan made = plan(R"("sizes": [8, 9], "entries": ["reduce/ladder/first", "reduce/ladder/second"])");
  EXPECT_EQ(made.cells(), 3u);
  ASSERT_EQ(made.skipped.size(), 1u);
  EXPECT_EQ(made.skipped[0].reason, "needs power-of-two n");
  EXPECT_EQ(made.skipped[0].cell.problem.n, 9);
  expect_in("every cell is refused", refusal(R"("sizes": [9], "entries": ["reduce/ladder/first"])"));
}

TEST(Plan, GridsAreCombinationsOverTheTunablesThatAnEntryHas) {
  const Plan made = plan(R"("sizes": [8], "entries": ["reduce/ladder/first", "reduce/ladder/second"],
                            "tunings": [{"threads": [128, 256], "blocks": [1, 2]}, {"threads": [128]}])");
  std::multiset<std::string> tunings;
  for (const Cell& cell : made.groups.at(0).cells)
    tunings.insert(cell.entry->name + " " + cell.tuning.text());
  EXPECT_EQ(tunings, (std::multiset<std::string>{"first threads:128", "first threads:256",
                                                 "second blocks:1/threads:128", "second blocks:1/threads:256",
                                                 "second blocks:2/threads:128", "second blocks:2/threads:256",
                                                 "second blocks:64/threads:128"}));
}

TEST(Plan, GridsThatGiveAnEntryTheSameTuningGiveItOnce) {
  const Plan made =
      plan(R"("sizes": [8], "tunings": [{"threads": [128]}, {"threads": [256]}])", DeviceKind::simt);
  const auto gpu_only = std::find_if(made.left_out.begin(), made.left_out.end(), [](const LeftOut& left) {
    return left.what == "reduce/ladder/gpu_only";
  });
  ASSERT_NE(gpu_only, made.left_out.end());
  EXPECT_EQ(gpu_only->cells, 1u) << "it has no tunables";
}

TEST(Plan, AllMeansWhatTheEntryDeclaresWithoutWhatItRefuses) {
  const Plan made = plan(
      R"("sizes": [8], "entries": ["reduce/ladder/second"], "tunings": {"threads": "all", "blocks": "all"})");
  // 600 blocks need more threads than any declared value has.
  EXPECT_EQ(made.cells(), 3u);
  EXPECT_TRUE(made.skipped.empty());
}

TEST(Plan, ImpossibleTuningsAreRefusedBeforeAnythingRuns) {
  expect_in(
      "/runs/0/tunings: threads = 16 is impossible: reduce/ladder/second takes between 32 and 512",
      refusal(
          R"("sizes": [8], "entries": ["reduce/ladder/second", "reduce/ladder/first"], "tunings": {"threads": [16]})"));
  expect_in(
      "needs blocks <= threads",
      refusal(
          R"("sizes": [8], "entries": ["reduce/ladder/second"], "tunings": {"threads": [64], "blocks": [65]})"));
  // Nobody takes it: an error for globs as well, at the value's own place.
  expect_in("/runs/0/tunings/threads/1: threads = 1000 is impossible",
            refusal(R"("sizes": [8], "entries": ["reduce/ladder/*"], "tunings": {"threads": [128, 1000]})"));
  // Somebody takes it: the others' cells are skipped with the reason.
  const Plan made = plan(R"("sizes": [8], "entries": ["reduce/ladder/*"], "tunings": {"threads": [16]})");
  ASSERT_EQ(made.skipped.size(), 1u);
  expect_in("threads = 16 is impossible", made.skipped[0].reason);
}

TEST(Plan, UnknownTunablesAreRefused) {
  expect_in("did you mean \"threads\"?", refusal(R"("sizes": [8], "tunings": {"thread": [16]})"));
  expect_in("/runs/0/tunings/0/x~1y", refusal(R"("sizes": [8], "tunings": [{"x/y": [16]}])"));
}

TEST(Plan, NamesThatMatchNothingAreRefused) {
  expect_in("did you mean \"reduce/ladder/first\"?",
            refusal(R"("sizes": [8], "entries": ["reduce/ladder/frist"])"));
  expect_in("/runs/0/entries/1: \"reduce/laddr/*\" matches no entry",
            refusal(R"("sizes": [8], "entries": ["reduce/*", "reduce/laddr/*"])"));
  expect_in("/runs/0/baseline: ", refusal(R"("sizes": [8], "baseline": "reduce/library/sun")"));
  expect_in("/runs/0/baseline/0: ", refusal(R"("sizes": [8], "baseline": ["reduce/library/sun"])"));
}

TEST(Plan, AGlobStaysWithinItsFamily) {
  for (const std::string& name : names(plan(R"("sizes": [8], "entries": ["*"])"))) expect_in("reduce/", name);
  expect_in("\"dot/*\" is of family dot, and this run is of family reduce",
            refusal(R"("sizes": [8], "entries": ["dot/*"])"));
}

TEST(Plan, TypesAndKnobsThatNobodyHasAreRefused) {
  expect_in("/runs/0/types/1: none of the run's entries has type int64; they take float32, float16, int32",
            refusal(R"("sizes": [8], "types": ["float32", "int64"])"));
  expect_in(
      "/runs/0/types/0: reduce/ladder/first has no type float16; it takes float32, int32",
      refusal(
          R"("sizes": [8], "types": ["float16"], "entries": ["reduce/ladder/first", "reduce/ladder/second"])"));
  expect_in(
      "/runs/0/op/1: reduce/library/sum cannot do op = min; it does sum",
      refusal(R"("sizes": [8], "op": ["sum", "min"], "entries": ["reduce/library/sum", "reduce/ladder/*"])"));
  expect_in("/runs/0/op: none of the run's entries can do op = min",
            refusal(R"("sizes": [8], "op": "min", "entries": ["reduce/library/s*"])"));
  // With globs, who lacks it is left out.
  const Plan made = plan(R"("sizes": [8], "types": ["float16"], "op": "min")");
  EXPECT_EQ(made.cells(), 1u);
}

TEST(Plan, AProblemBeyondTheMemoryIsRefusedWithBothFigures) {
  DeviceFacts facts;
  facts.name = "A GPU";
  facts.memory_bytes = 8'000'000'000;
  const std::string message = refusal(R"("sizes": [1024, 4000000000])", DeviceKind::cuda, facts);
  expect_in("/runs/0/sizes/1: n = 4000000000 of float32 needs 16 GB, and A GPU has 8 GB", message);
  EXPECT_NO_THROW(plan(R"("sizes": [1024, 1000000000])", DeviceKind::cuda, facts));
  // Left out for its size anyway.
  EXPECT_NO_THROW(plan(R"("sizes": [1024, 4000000000])", DeviceKind::simt, facts));
}

TEST(Plan, AFilterKeepsWhatItFinds) {
  const Plan whole = plan(R"("sizes": [8, 16, 9, 11])");
  const Plan kept = filtered(whole, "first/.*n:(8|9)/");
  EXPECT_EQ(names(kept),
            std::vector<std::string>{"reduce/ladder/first/op:sum/type:float32/n:8/threads:256/cold/device"});
  EXPECT_EQ(kept.skipped.size(), 1u);
  EXPECT_EQ(filtered(whole, "").cells(), whole.cells());
  expect_in("is not a regular expression", message_of([&] { filtered(whole, "(["); }));
  expect_in("finds none of the plan's", message_of([&] { filtered(whole, "no such cell"); }));
}

TEST(Plan, ItsTextNamesEveryCellAndEveryReason) {
  const Sweep sweep = planted::sweep(R"("sizes": [8, 9, 32])", R"("simt": {"max_n": 16})");
  const Plan made = make_plan(sweep, DeviceKind::simt, {}, planted::catalog());
  const std::string text = plan_text(made, sweep);
  for (const std::string& name : names(made)) expect_in(name, text);
  expect_in("reduce/ladder/first: needs power-of-two n (1 cell)", text);
  expect_in("n = 32: beyond simt.max_n = 16 (4 cells)", text);
  expect_in("7 cells of 2 problems, 1 skipped, 4 left out for their size", text);
}

TEST(Plan, TheEstimateGrowsWithTheWork) {
  const auto seconds = [](const std::string& run, const std::string& rest) {
    const Sweep sweep = planted::sweep(run, rest);
    return estimated_seconds(make_plan(sweep, DeviceKind::cuda, {}, planted::catalog()), sweep);
  };
  const double one = seconds(R"("sizes": [1024])", "");
  EXPECT_GT(one, 0);
  EXPECT_GT(seconds(R"("sizes": [1024, 2048])", ""), one);
  EXPECT_GT(seconds(R"("sizes": [268435456])", ""), one);
  EXPECT_DOUBLE_EQ(seconds(R"("sizes": [1024])", R"("measure": {"processes": 3})"), 3 * one);
  EXPECT_EQ(duration_text(4.26), "4.3 s");
  EXPECT_EQ(duration_text(59.9), "60 s");
  EXPECT_EQ(duration_text(250), "4 min 10 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

}  // namespace
}  // namespace tally
