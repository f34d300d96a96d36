#include "harness/results/journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/results/document.h"
#include "tests/harness/results/example_row.h"

namespace tally {
namespace {

namespace fs = std::filesystem;

class JournalTest : public ::testing::Test {
 protected:
  JournalTest() {
    folder = fs::temp_directory_path() / ("tally_journal_" + std::to_string(getpid()));
    fs::create_directories(folder);
    path = folder / "out.json.journal";
  }
  ~JournalTest() override { fs::remove_all(folder); }

  std::string text() const {
    std::ifstream file(path);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void write(const std::string& content) const { std::ofstream(path) << content; }

  static Json row_named(const std::string& name, int repetition = 0) {
    Row row = testing::example_row();
    row.name = name;
    row.repetition_index = repetition;
    return to_json(row);
  }

  /// Three rows, a failure and a turn.
  void write_example() const {
    Journal journal = Journal::begin(path, {{"config_hash", "abc"}});
    journal.device({{"device", "GPU-0"}, {"name", "imagined"}});
    journal.row(row_named("b"));
    journal.turn("d", 0, to_json(Turn{}));
    journal.row(row_named("a", 1));
    journal.row(row_named("a", 0));
    journal.failures({to_json(Failure{"c", "entry", "problem", Failure::Status::wrong, "why"})});
  }

  fs::path folder;
  fs::path path;
};

TEST_F(JournalTest, ComesBackAsItWasWritten) {
  write_example();
  const JournalContent content = read_journal(path);
  EXPECT_EQ(content.header.at("config_hash"), "abc");
  EXPECT_EQ(content.rows.size(), 3u);
  EXPECT_EQ(content.failures.size(), 1u);
  EXPECT_EQ(content.turns.count({"d", 0}), 1u);
  EXPECT_EQ(content.devices.at("GPU-0").at("name"), "imagined");
  EXPECT_EQ(content.whole_bytes, static_cast<std::int64_t>(fs::file_size(path)));
}

TEST_F(JournalTest, WhatBeginsAfreshElsewhereDoesNotCount) {
  {
    Journal journal = Journal::begin(path, {{"config_hash", "abc"}});
    journal.place({"problem", 0}, "GPU-0", {});
    journal.row(row_named("a", 0));
    journal.row(row_named("b", 0));
    journal.turn("d", 0, to_json(Turn{}));
    journal.turn("d", 1, to_json(Turn{}));
    journal.place({"problem", 0}, "GPU-1", {"a", "d"});
    journal.turn("d", 0, to_json(Turn{}));
  }
  const JournalContent content = read_journal(path);
  ASSERT_EQ(content.rows.size(), 1u);
  EXPECT_EQ(content.rows.front().at("name"), "b");
  EXPECT_EQ(content.turns.at({"d", 0}).size(), 1u);
  EXPECT_EQ(content.turns.at({"d", 1}).size(), 1u);
  EXPECT_EQ(content.places.at({"problem", 0}), "GPU-1");
}

TEST_F(JournalTest, EachDeviceHasItsOwnCeilings) {
  {
    Journal journal = Journal::begin(path, {{"config_hash", "abc"}});
    for (const int index : {1, 0}) {
      const std::string identity = "GPU-" + std::to_string(index);
      journal.device({{"device", identity}, {"index", index}});
      journal.ceilings(identity, {{"hbm_read", 1e12 * (index + 1)}});
    }
  }
  const JournalContent content = read_journal(path);
  ASSERT_EQ(content.devices.size(), 2u);
  EXPECT_EQ(content.devices.at("GPU-0").at("ceilings").at("hbm_read"), 1e12);
  EXPECT_EQ(content.devices.at("GPU-1").at("ceilings").at("hbm_read"), 2e12);
  const Json document = make_document({}, content);
  EXPECT_EQ(document.at("tally").at("devices").at(0).at("index"), 0);
  EXPECT_EQ(document.at("tally").at("ceilings").at("hbm_read"), 1e12) << "those of the first";
}

TEST_F(JournalTest, TornAnywhereItKeepsAllWholeLinesAndGoesOn) {
  write_example();
  const std::string whole = text();
  const std::size_t header = whole.find('\n') + 1;
  for (std::size_t cut = header; cut < whole.size(); cut += 61) {
    write(whole.substr(0, cut));
    const JournalContent content = read_journal(path);
    const auto lines = static_cast<std::int64_t>(whole.rfind('\n', cut - 1) + 1);
    EXPECT_EQ(content.whole_bytes, lines) << "cut at " << cut;
    {
      Journal journal = Journal::go_on(path, content.whole_bytes);
      journal.row(row_named("z"));
    }
    const JournalContent after = read_journal(path);
    EXPECT_EQ(after.rows.size(), content.rows.size() + 1);
    EXPECT_EQ(after.whole_bytes, static_cast<std::int64_t>(fs::file_size(path)));
  }
}

TEST_F(JournalTest, RefusesWhatIsNoJournal) {
  write("");
  EXPECT_THROW(read_journal(path), ResultsError);
  write("hello\nworld\n");
  EXPECT_THROW(read_journal(path), ResultsError);
  EXPECT_THROW(read_journal(folder / "not_there"), ResultsError);
}

TEST_F(JournalTest, OneWithoutAWholeFirstLineNeverBegan) {
  write_example();
  const std::string whole = text();
  const std::size_t header = whole.find('\n') + 1;
  for (std::size_t cut = 0; cut < header; ++cut) {
    write(whole.substr(0, cut));
    EXPECT_TRUE(never_began(path)) << "cut at " << cut;
  }
  for (const std::string& other : {whole.substr(0, header), whole, std::string("hello"), std::string("\n")}) {
    write(other);
    EXPECT_FALSE(never_began(path)) << other;
  }
}

TEST_F(JournalTest, AFullDiskIsAnErrorAndNothingIsLost) {
  Journal journal = Journal::begin(path, {{"config_hash", "abc"}});
  journal.row(row_named("a"));
  const auto size = fs::file_size(path);
  // A limit on the size of files stands for the disk's.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = size + 100;
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(journal.row(row_named("b")), ResultsError);
  EXPECT_THROW(write_whole(folder / "out.json", std::string(2 * size, 'x')), ResultsError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(fs::file_size(path), size);
  EXPECT_EQ(read_journal(path).rows.size(), 1u);
  EXPECT_FALSE(fs::exists(folder / "out.json"));
  EXPECT_FALSE(fs::exists(folder / "out.json.part"));
}

TEST_F(JournalTest, NamesEveryDifferenceOfTheHeaders) {
  const Json mine{{"config_hash", "abc"}, {"device", "cuda:0"}, {"git_revision", "1"}};
  EXPECT_EQ(difference_between(mine, mine), "");
  EXPECT_EQ(difference_between({{"config_hash", "abd"}, {"device", "simt"}, {"git_revision", "1"}}, mine),
            "config_hash was abd, is abc; device was simt, is cuda:0");
}

TEST_F(JournalTest, TheDocumentIsInTheOrderOfThePlanWithoutTheFailed) {
  write_example();
  DocumentHead head;
  head.context = {{"date", "today"}};
  head.tally = {{"schema_version", 1}};
  head.cells = {{"a", 0, 0}, {"c", 1, 0}, {"b", 1, 1}};
  head.skipped = {{"s", "entry", "problem", Failure::Status::skipped, "needs power-of-two n"}};
  JournalContent content = read_journal(path);
  content.rows.push_back(row_named("c"));
  const Json document = make_document(head, content);
  std::vector<std::string> names;
  for (const Json& row : document.at("benchmarks")) {
    names.push_back(row.at("name").get<std::string>() + row.at("repetition_index").dump());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a0", "a1", "b0"}));
  EXPECT_EQ(document.at("benchmarks").at(2).at("per_family_instance_index"), 1);
  ASSERT_EQ(document.at("tally").at("failures").size(), 2u);
  EXPECT_EQ(document.at("tally").at("failures").at(0).at("cell"), "c");
  EXPECT_EQ(document.at("tally").at("failures").at(1).at("status"), "skipped");
  EXPECT_EQ(Json::parse(document_text(document)), document);
}

TEST_F(JournalTest, ARatioToABaselineThatFailedLaterIsDropped) {
  const auto row = [](const char* name, const char* entry, int repetition, const char* cache) {
    Json made = row_named(name, repetition);
    made["tally"].update({{"problem", "p"}, {"cache", cache}, {"clock", "device"}, {"entry", entry}});
    made["tally"]["ratios"] = {{"f/cub/sum", {{"value", 2.0}}}, {"f/cub/reduce", {{"value", 3.0}}}};
    return made;
  };
  JournalContent content;
  content.rows = {row("sum", "f/cub/sum", 0, "cold"), row("own", "f/own/best", 0, "cold"),
                  row("own warm", "f/own/best", 0, "warm")};
  content.failures = {to_json(Failure{"sum", "f/cub/sum", "p", Failure::Status::wrong, "in repetition 1"})};
  DocumentHead head;
  head.cells = {{"sum", 0, 0}, {"own", 1, 0}, {"own warm", 1, 1}};
  const Json rows = make_document(head, content).at("benchmarks");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("tally").at("ratios").size(), 1u);
  EXPECT_TRUE(rows[0].at("tally").at("ratios").contains("f/cub/reduce"));
  EXPECT_EQ(rows[1].at("tally").at("ratios").size(), 2u) << "under other conditions it was right";
}

TEST_F(JournalTest, BytesThatAreNoTextDoNotCostTheResults) {
  JournalContent content;
  DocumentHead head;
  head.tally = {{"command", "harness --out r\xe9sultats.json"}, {"r\xe9", 1}};
  const Json read = Json::parse(document_text(make_document(head, content)));
  EXPECT_EQ(read.at("tally").at("command"), "harness --out r\xef\xbf\xbdsultats.json");
}

TEST_F(JournalTest, WritingWholeReplacesAndLeavesNothingBeside) {
  const fs::path out = folder / "out.json";
  write_whole(out, "one");
  write_whole(out, "two");
  std::ifstream file(out);
  std::string content;
  file >> content;
  EXPECT_EQ(content, "two");
  EXPECT_FALSE(fs::exists(folder / "out.json.part"));
}

}  // namespace
}  // namespace tally
