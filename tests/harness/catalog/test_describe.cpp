#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "harness/catalog/describe.h"

namespace tally {
namespace {

/// An entry with everything that an entry can have.
Entry full_entry() {
  Entry entry;
  entry.family = "reduce";
  entry.series = "imagined";
  entry.name = "second";
  entry.file = "variants/imagined.cu";
  entry.line = 12;
  entry.lesson = "One idea.";
  entry.source = "A book";
  entry.predecessor = "reduce/imagined/first";
  entry.types = {ScalarType::float32, ScalarType::int8};
  entry.tunables = {{"threads", {64, 32}, rules::whole_warps}};
  entry.needs = {{"needs even n", [](const ProblemKey& key, const Tuning&) { return key.n % 2 == 0; }}};
  entry.tuning_needs = {{"needs blocks <= threads", [](const ProblemKey&, const Tuning&) { return true; }}};
  entry.knobs = {{"op", {"max"}}};
  entry.published = {{"A machine", 1000000, ScalarType::int8, 1.25, "us"}};
  entry.absent = {{DeviceKind::simt, "thread-block clusters"}};
  entry.cost = [](const ProblemKey& key, const Tuning& t) {
    return Cost{.bytes_read = static_cast<double>(key.n),
                .bytes_written = static_cast<double>(t["threads"]),
                .launches = 1,
                .partials = 1,
                .host_additions = 3};
  };
  entry.destroys_input = true;
  entry.answers_on_host = true;
  entry.synchronises = true;
  entry.known_wrong = "drops the tail";
  entry.not_deterministic = "atomics";
  entry.compute_capability = 90;
  for (const ScalarType type : entry.types) {
    entry.implementations.push_back({DeviceKind::cuda, type, [](const Problem&) { return true; }, {}});
  }
  return entry;
}

/// Lines are broken to fit a terminal; without that.
std::string on_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

TEST(Describe, SaysAllThatAnEntryDeclares) {
  const std::string text = on_one_line(description_of(full_entry()));
  for (const char* const part :
       {"reduce/imagined/second", "One idea.", "source A book", "written in variants/imagined.cu:12",
        "follows reduce/imagined/first", "types float32, int8", "op max",
        "devices cuda; not simt: thread-block clusters",
        "tunables threads = 64, 32 (the first is the default); takes a multiple of 32",
        "limits needs blocks <= threads; needs even n", "writes over its input", "ends in host memory",
        "waits for the device", "not deterministic: atomics", "drops the tail", "compute capability 9.0",
        "published A machine, n = 1,000,000, int8: 1.25 us"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Describe, TheCostIsThatOfThePublishedProblem) {
  const std::string words = on_one_line(description_of(full_entry()));
  EXPECT_NE(words.find(
                "one call at n = 1,000,000, int8, threads:64: reads 1,000,000 bytes, writes 64, in 1 launch; "
                "1 partial result, 3 additions on the host; the problem must move 1,000,004 bytes published"),
            std::string::npos)
      << words;
}

TEST(Describe, LinesFitATerminal) {
  for (const Entry* entry : Catalog::instance().entries()) {
    const std::string text = description_of(*entry);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      const auto is_character = [](char letter) {
        return (static_cast<unsigned char>(letter) & 0xc0) != 0x80;
      };
      EXPECT_LE(std::count_if(text.begin() + static_cast<std::ptrdiff_t>(at),
                              text.begin() + static_cast<std::ptrdiff_t>(end), is_character),
                100)
          << text.substr(at, end - at);
      at = end + 1;
    }
  }
}

TEST(Describe, EveryEntryHasALessonASourceAndAPlace) {
  for (const Entry* entry : Catalog::instance().entries()) {
    EXPECT_FALSE(entry->lesson.empty()) << entry->full_name();
    EXPECT_FALSE(entry->source.empty()) << entry->full_name();
    EXPECT_FALSE(entry->file.starts_with("/")) << entry->full_name() << ": " << entry->file;
    EXPECT_GT(entry->line, 0) << entry->full_name();
    if (!entry->predecessor.empty()) {
      EXPECT_NE(Catalog::instance().find(entry->predecessor), nullptr)
          << entry->full_name() << " follows " << entry->predecessor;
    }
  }
}

TEST(Describe, AGainNeedsBothStages) {
  const nlohmann::json results = {{"context", {{"gpu", "A GPU"}}},
                                  {"benchmarks",
                                   {{{"name", "a"},
                                     {"tally",
                                      {{"entry", "reduce/imagined/second"},
                                       {"problem", "p/n:8"},
                                       {"n", 8},
                                       {"cache", "cold"},
                                       {"clock", "device"},
                                       {"median", 2e-6}}}},
                                    {{"name", "b"},
                                     {"tally",
                                      {{"entry", "reduce/imagined/first"},
                                       {"problem", "p/n:8"},
                                       {"n", 8},
                                       {"cache", "cold"},
                                       {"clock", "device"},
                                       {"median", 3e-6}}}},
                                    {{"name", "c"},
                                     {"tally",
                                      {{"entry", "reduce/imagined/first"},
                                       {"problem", "p/n:8"},
                                       {"n", 8},
                                       {"cache", "warm"},
                                       {"clock", "device"},
                                       {"median", 1e-6}}}}}}};
  EXPECT_EQ(measured_gain(full_entry(), results, "r.json"),
            "measured    over reduce/imagined/first, best tunings, in r.json on A GPU\n"
            "  p/n:8, cold, device clock: 2 us after 3 us, 1.5 times as fast\n");
  EXPECT_EQ(measured_gain(full_entry(), nlohmann::json::object(), "r.json"),
            "measured    r.json holds no times of both it and reduce/imagined/first\n");
}

TEST(Entry, CanDoWhatItsTypesItsKnobsAndItsCodeServe) {
  Entry entry = full_entry();
  const auto can = [&entry](ScalarType type, const char* op) {
    return entry.can_do(
        *make_problem({"reduce", type, 8, {{"op", std::string(op)}}, 1, Distribution::uniform}));
  };
  EXPECT_TRUE(can(ScalarType::int8, "max"));
  EXPECT_FALSE(can(ScalarType::int8, "min"));     // its knobs
  EXPECT_FALSE(can(ScalarType::float64, "max"));  // its types
  for (Implementation& implementation : entry.implementations)
    implementation.serves = [](const Problem&) { return false; };
  EXPECT_FALSE(can(ScalarType::int8, "max"));  // its code
  entry.implementations.clear();
  EXPECT_TRUE(can(ScalarType::int8, "max")) << "what it declares is all there is to go by";
}

}  // namespace
}  // namespace tally
