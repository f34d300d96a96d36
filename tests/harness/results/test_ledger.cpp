#include <gtest/gtest.h>

#include <memory>

#include "harness/sweep/ledger.h"
#include "harness/sweep/worker.h"

namespace tally {
namespace {

/// Two entries on two problems, each cold and warm: eight cells.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    for (const char* name : {"one", "two"}) {
      entries.push_back(std::make_unique<Entry>());
      entries.back()->family = "reduce";
      entries.back()->series = "made";
      entries.back()->name = name;
    }
    for (const std::int64_t n : {64, 128}) {
      Group group;
      group.problem.family = "reduce";
      group.problem.n = n;
      for (const auto& entry : entries) {
        for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
          group.cells.push_back({entry.get(), group.problem, {}, cache, Clock::device, DeviceKind::host});
        }
      }
      plan.groups.push_back(group);
    }
  }

  std::string name_of_cell(std::size_t group, std::size_t cell) const {
    return plan.groups[group].cells[cell].name();
  }
  Json row(std::size_t group, std::size_t cell, int repetition) const {
    return {{"name", name_of_cell(group, cell)}, {"repetition_index", repetition}};
  }
  static std::vector<std::string> named(const std::vector<Json>& failures) {
    std::vector<std::string> names;
    for (const Json& failure : failures) names.push_back(failure.at("cell"));
    return names;
  }
  static void tell(Ledger& ledger, const std::vector<Json>& failures) {
    for (const Json& failure : failures) ledger.failure(failure);
  }

  Plan plan;
  std::vector<std::unique_ptr<Entry>> entries;
};

TEST_F(LedgerTest, AnotherDeviceBeginsAUnitAfresh) {
  Ledger ledger(plan, 2);
  const WorkUnit unit{1, 0, 0};
  EXPECT_TRUE(ledger.place(unit, "GPU-0").empty());
  ledger.row(row(0, 0, 0));
  ledger.row(row(0, 0, 1));
  ledger.row(row(0, 2, 1));
  ledger.turn({{"cell", name_of_cell(0, 1)}, {"repetition", 1}, {"turn", to_json(Turn{})}});
  ledger.failure(to_json(Failure{name_of_cell(0, 3), "reduce/made/two", "", Failure::Status::crashed, ""}));
  const std::size_t before = ledger.cells_done();
  EXPECT_TRUE(ledger.place(unit, "GPU-0").empty()) << "it is there already";
  EXPECT_EQ(ledger.place(unit, "GPU-1"),
            (std::vector<std::string>{name_of_cell(0, 0), name_of_cell(0, 1), name_of_cell(0, 2)}));
  EXPECT_EQ(ledger.cells_done(), before - 2);
  const WorkOrder order = ledger.order_for(unit);
  EXPECT_EQ(order.cells, (std::vector<std::size_t>{0, 1, 2})) << "a failure stays one";
  EXPECT_TRUE(order.turns.empty());
  EXPECT_EQ(ledger.place_of(unit), "GPU-1");
  EXPECT_EQ(ledger.order_for({0, 0, 0}).cells, (std::vector<std::size_t>{1, 2}))
      << "the other repetition stays";
}

TEST_F(LedgerTest, UnitsAreWhatHasNeitherRowNorFailure) {
  Ledger ledger(plan, 2);
  EXPECT_EQ(ledger.units().size(), 4u);
  EXPECT_EQ(ledger.cells_in_all(), 16u);
  for (std::size_t cell = 0; cell < 4; ++cell) ledger.row(row(0, cell, 0));
  ledger.row(row(1, 2, 1));
  const std::vector<WorkUnit> units = ledger.units();
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].group, 1u);
  EXPECT_EQ(units[0].repetition, 0);
  EXPECT_EQ(ledger.order_for({1, 1, 0}).cells, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_EQ(ledger.cells_done(), 5u);
  EXPECT_DOUBLE_EQ(ledger.share_done({1, 3}), (1 * 4.0 / 8 + 3 * 1.0 / 8) / 4);
}

TEST_F(LedgerTest, ACellThatFailedOnceIsNotTriedInTheNextRepetition) {
  Ledger ledger(plan, 2);
  ledger.failure(to_json(Failure{name_of_cell(0, 1), "reduce/made/one", "p", Failure::Status::wrong, "why"}));
  EXPECT_EQ(ledger.order_for({1, 0, 0}).cells, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(ledger.cells_done(), 2u);
}

TEST_F(LedgerTest, ALostProcessCostsTheCellOrAllThatWouldFailAlike) {
  const Incident sampling{0, 0, {"sampling", Activity::Scope::cell, 0}, false, "signal 11"};
  const Incident check{0, 0, {"check", Activity::Scope::problem, 0}, false, "signal 11"};
  const Incident odd{0, 0, {"check at n = 31", Activity::Scope::entry, 0}, true, ""};
  EXPECT_EQ(named(Ledger(plan, 1).failures_of(sampling)), (std::vector<std::string>{name_of_cell(0, 0)}));
  EXPECT_EQ(named(Ledger(plan, 1).failures_of(check)),
            (std::vector<std::string>{name_of_cell(0, 0), name_of_cell(0, 1)}));
  const std::vector<Json> all = Ledger(plan, 1).failures_of(odd);
  EXPECT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].at("status"), "timed_out");
  EXPECT_EQ(all[0].at("reason"), "hangs in the check at n = 31");
}

TEST_F(LedgerTest, TheThirdLostProcessOfAnEntryIsItsLastAlsoAcrossAResume) {
  Ledger first(plan, 1);
  JournalContent journal;
  for (const std::size_t cell : {0u, 1u}) {
    const auto failures =
        first.failures_of({0, cell, {"sampling", Activity::Scope::cell, 0}, false, "signal 11"});
    ASSERT_EQ(failures.size(), 1u);
    tell(first, failures);
    journal.failures.insert(journal.failures.end(), failures.begin(), failures.end());
  }
  Ledger resumed(plan, 1);
  resumed.take_over(journal);
  const auto last = resumed.failures_of({1, 0, {"sampling", Activity::Scope::cell, 0}, false, "signal 11"});
  ASSERT_EQ(last.size(), 2u);
  EXPECT_NE(last[1].at("reason").get<std::string>().find("given up after 3"), std::string::npos);
}

TEST_F(LedgerTest, KnownWrongEntriesThatLoseAProcessStayKnownWrong) {
  entries[0]->known_wrong = "as published";
  Ledger ledger(plan, 1);
  EXPECT_EQ(
      ledger.failures_of({0, 0, {"check", Activity::Scope::cell, 0}, false, "signal 11"})[0].at("status"),
      "known_wrong");
}

TEST_F(LedgerTest, OrdersCarryTheTurnsOfTheirGroupAndComeBackFromJson) {
  Ledger ledger(plan, 2);
  Turn turn;
  turn.round = 3;
  turn.samples = {1e-6};
  ledger.turn({{"cell", name_of_cell(1, 2)}, {"repetition", 1}, {"turn", to_json(turn)}});
  EXPECT_TRUE(ledger.order_for({0, 1, 0}).turns.empty());
  const WorkOrder order = order_from_json(Json::parse(to_json(ledger.order_for({1, 1, 0})).dump()));
  EXPECT_EQ(order.group, 1u);
  EXPECT_EQ(order.repetition, 1);
  EXPECT_EQ(order.cells.size(), 4u);
  ASSERT_TRUE(order.turns.contains(name_of_cell(1, 2)));
  EXPECT_EQ(order.turns.at(name_of_cell(1, 2)).front().round, 3);
}

TEST_F(LedgerTest, WhatNoWorkerFinishesFailsWithTheReason) {
  Ledger ledger(plan, 1);
  ledger.row(row(0, 0, 0));
  const auto failures = ledger.give_up({0, 0, 3}, "no worker process brought a result");
  EXPECT_EQ(failures.size(), 3u);
  EXPECT_EQ(failures[0].at("status"), "crashed");
}

}  // namespace
}  // namespace tally
