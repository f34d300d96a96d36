#include <gtest/gtest.h>

#include <random>

#include "harness/sweep/schema.h"
#include "tests/harness/sweep/planted.h"

namespace tally {
namespace {

using planted::message_of;

Sweep parsed(const std::string& text) { return parse_config(text, "c.json"); }
std::string refusal(const std::string& text) {
  return message_of([&] { parsed(text); });
}

constexpr const char* smallest = R"({"runs": [{"family": "reduce", "sizes": [8]}]})";

TEST(Config, DefaultsAreTheSettingsOwn) {
  const Sweep sweep = parsed(smallest);
  const MeasureSettings measure;
  EXPECT_EQ(sweep.title, "c");
  EXPECT_EQ(sweep.device, "auto");
  EXPECT_EQ(sweep.measure.half_width, measure.half_width);
  EXPECT_EQ(sweep.measure.caches, measure.caches);
  EXPECT_EQ(sweep.check.sizes, CheckSettings().sizes);
  EXPECT_FALSE(sweep.check.under_load);
  EXPECT_EQ(sweep.simt_max_n, 65536);
  EXPECT_EQ(sweep.host_max_n, 16777216);
  ASSERT_EQ(sweep.runs.size(), 1u);
  EXPECT_EQ(sweep.runs[0].entries, std::vector<std::string>{"reduce/*"});
  EXPECT_EQ(sweep.runs[0].types, std::vector<ScalarType>{ScalarType::float32});
  EXPECT_EQ(std::get<std::string>(sweep.runs[0].knobs.at("op").at(0)), "sum");
}

TEST(Config, EveryKeyIsRead) {
  const Sweep sweep = parsed(R"({
    "$schema": "schema.json", "title": "t", "device": "cuda:3", "seed": 5,
    "measure": {"caches": ["warm", "cold"], "clocks": ["end_to_end"], "half_width": 0.01, "min_samples": 7,
                "max_samples": 70, "max_seconds": 2, "rounds": 3, "processes": 2, "seed": 9},
    "check": {"sizes": [3], "distributions": ["exact"], "launches": 4, "under_load": true},
    "simt": {"max_n": 100}, "host": {"max_n": 1e3},
    "runs": [{"family": "reduce", "op": ["max", "mean"], "types": ["int8"], "sizes": {"from": 10, "to": 1000, "factor": 10},
              "entries": ["reduce/a/*"], "tunings": [{"threads": [1, 2]}, {"blocks": "all"}], "baseline": "reduce/b/c"}]})");
  EXPECT_EQ(sweep.title, "t");
  EXPECT_EQ(sweep.device, "cuda:3");
  EXPECT_EQ(sweep.measure.caches, (std::vector{CacheState::warm, CacheState::cold}));
  EXPECT_EQ(sweep.measure.clocks, std::vector{Clock::end_to_end});
  EXPECT_EQ(sweep.measure.half_width, 0.01);
  EXPECT_EQ(sweep.measure.min_samples, 7);
  EXPECT_EQ(sweep.measure.max_samples, 70);
  EXPECT_EQ(sweep.measure.max_seconds, 2);
  EXPECT_EQ(sweep.measure.rounds, 3);
  EXPECT_EQ(sweep.measure.processes, 2);
  EXPECT_EQ(sweep.measure.seed, 9u);
  EXPECT_EQ(sweep.check.seed, 5u);  // the config's own, since check has none
  EXPECT_EQ(sweep.check.sizes, std::vector<std::int64_t>{3});
  EXPECT_EQ(sweep.check.distributions, std::vector{Distribution::exact});
  EXPECT_EQ(sweep.check.launches, 4);
  EXPECT_TRUE(sweep.check.under_load);
  EXPECT_EQ(sweep.simt_max_n, 100);
  EXPECT_EQ(sweep.host_max_n, 1000);
  const auto& run = sweep.runs.at(0);
  EXPECT_EQ(run.knobs.at("op").size(), 2u);
  EXPECT_EQ(run.types, std::vector{ScalarType::int8});
  EXPECT_EQ(run.sizes, (std::vector<std::int64_t>{10, 100, 1000}));
  EXPECT_EQ(run.entries, std::vector<std::string>{"reduce/a/*"});
  ASSERT_EQ(run.tunings.size(), 2u);
  EXPECT_EQ(run.tunings[0].at("threads"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(run.tunings[1].at("blocks").empty());  // "all"
  EXPECT_EQ(run.baselines, std::vector<std::string>{"reduce/b/c"});
}

TEST(Config, ARangeEndsAtOrBelowItsEnd) {
  const auto sizes = [](const std::string& range) {
    return parsed(R"({"runs": [{"family": "reduce", "sizes": )" + range + "}]}").runs.at(0).sizes;
  };
  EXPECT_EQ(sizes(R"({"from": 1, "to": 9, "factor": 2})"), (std::vector<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(sizes(R"({"from": 7, "to": 7, "factor": 1000})"), std::vector<std::int64_t>{7});
  EXPECT_EQ(sizes(R"({"from": 1, "to": 1125899906842624, "factor": 1125899906842624})").size(), 2u);
}

TEST(Config, TheHashSeesContentAndNotOrder) {
  const std::string one = R"({"title": "t", "runs": [{"family": "reduce", "sizes": [8]}]})";
  const std::string other = R"({"runs": [{"sizes": [8], "family": "reduce"}], "title": "t", "$schema": "s"})";
  const std::string different = R"({"title": "t", "runs": [{"family": "reduce", "sizes": [9]}]})";
  EXPECT_EQ(parsed(one).config_hash(), parsed(other).config_hash());
  EXPECT_NE(parsed(one).config_hash(), parsed(different).config_hash());
  EXPECT_EQ(parsed(one).config_hash().size(), 16u);
}

struct Refused {
  const char* text;
  const char* where;
  const char* what;
};

TEST(Config, WhatIsWrongIsNamedWithItsPlace) {
  const Refused cases[] = {
      {"[]", "c.json: /: ", "must be an object"},
      {"{\n\"runs\": []}", "c.json:2: /runs: ", "a list that is not empty"},
      {"{}", "c.json: /: ", "the key \"runs\" is missing"},
      {R"({"titel": "x", "runs": [{"family": "reduce", "sizes": [8]}]})",
       "c.json:1: /titel: ", "did you mean \"title\"?"},
      {R"({"runs": [{"family": "reduec", "sizes": [8]}]})", "/runs/0/family: ", "did you mean \"reduce\"?"},
      {R"({"runs": [{"family": "reduce"}]})", "/runs/0: ", "\"sizes\" is missing"},
      {R"({"runs": [{"sizes": [8]}]})", "/runs/0: ", "\"family\" is missing"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "size": 1}]})",
       "/runs/0/size: ", "did you mean \"sizes\"?"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "types": ["flaot32"]}]})",
       "/runs/0/types/0: ", "\"float32\"?"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "op": "summ"}]})",
       "/runs/0/op: ", "did you mean \"sum\"?"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "op": ["sum", 3]}]})", "/runs/0/op/1: ", "sum"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "misaligned_by": -1}]})",
       "/runs/0/misaligned_by: ", "whole number from 0 to 63"},
      {R"({"check": {"under_load": 1}, "runs": [{"family": "reduce", "sizes": [8]}]})",
       "/check/under_load: ", "true or false, not 1"},
      {R"({"runs": [{"family": "reduce", "sizes": [8, 0]}]})",
       "/runs/0/sizes/1: ", "from 1 to 1125899906842624, not 0"},
      {R"({"runs": [{"family": "reduce", "sizes": [-4]}]})", "/runs/0/sizes/0: ", "not -4"},
      {R"({"runs": [{"family": "reduce", "sizes": [1.5]}]})", "/runs/0/sizes/0: ", "whole number"},
      {R"({"runs": [{"family": "reduce", "sizes": [1e300]}]})", "/runs/0/sizes/0: ", "whole number"},
      {R"({"runs": [{"family": "reduce", "sizes": ["8"]}]})", "/runs/0/sizes/0: ", "not \"8\""},
      {R"({"runs": [{"family": "reduce", "sizes": 8}]})",
       "/runs/0/sizes: ", "a list that is not empty or an object"},
      {R"({"runs": [{"family": "reduce", "sizes": {"from": 4, "to": 8}}]})",
       "/runs/0/sizes: ", "\"factor\" is missing"},
      {R"({"runs": [{"family": "reduce", "sizes": {"from": 4, "to": 8, "factor": 1}}]})",
       "/runs/0/sizes/factor: ", "from 2"},
      {R"({"runs": [{"family": "reduce", "sizes": {"from": 9, "to": 8, "factor": 2}}]})",
       "/runs/0/sizes: ", "is above"},
      {R"({"measure": {"half_width": 0}, "runs": [{"family": "reduce", "sizes": [8]}]})",
       "/measure/half_width: ", "above 0"},
      {R"({"measure": {"caches": ["hot"]}, "runs": [{"family": "reduce", "sizes": [8]}]})",
       "/measure/caches/0: ", "cold, warm"},
      {R"({"measure": {"min_samples": 9, "max_samples": 8}, "runs": [{"family": "reduce", "sizes": [8]}]})",
       "/measure/min_samples: ", "above max_samples = 8"},
      {R"({"measure": {"rounds": true}, "runs": [{"family": "reduce", "sizes": [8]}]})",
       "/measure/rounds: ", "not true"},
      {R"({"device": "gpu", "runs": [{"family": "reduce", "sizes": [8]}]})",
       "/device: ", "cuda, cuda:2, simt or host"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "tunings": {"threads": []}}]})",
       "/runs/0/tunings/threads: ", "\"all\""},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "tunings": {"threads": ["x"]}}]})",
       "/runs/0/tunings/threads/0: ", "whole number"},
      {R"({"runs": [{"family": "reduce", "sizes": [8], "entries": []}]})", "/runs/0/entries: ", "not empty"},
      {R"({"runs": [{"family": "reduce", "sizes": [8]}], "runs": []})", "c.json:1:48: ", "a second time"},
      {"{\"runs\": [\n{\"family\": \"reduce\",\n}]}", "c.json:3:1: ", "not JSON"},
  };
  for (const Refused& refused : cases) {
    const std::string message = refusal(refused.text);
    EXPECT_NE(message.find(refused.where), std::string::npos) << refused.text << "\n" << message;
    EXPECT_NE(message.find(refused.what), std::string::npos) << refused.text << "\n" << message;
  }
}

TEST(Config, AMessageIsOneLineWhateverStandsInTheConfig) {
  const std::string message = refusal("{\"a\\nb\\u001b[31m\": 1}");
  EXPECT_EQ(message.find('\n'), std::string::npos);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(refusal("{\"title\": [\"" + std::string(5000, 'x') + "\"], \"runs\": []}").size(), 400u);
}

TEST(Config, MutilatedConfigsAreRefusedOrReadAndNeverCrash) {
  const std::string text =
      R"({"title": "t", "measure": {"caches": ["cold"], "half_width": 0.01}, "check": {"sizes": [3]}, "simt": {"max_n": 100},
          "runs": [{"family": "reduce", "op": ["max"], "types": ["int8"], "sizes": {"from": 10, "to": 1000, "factor": 10},
          "entries": ["reduce/a/*"], "tunings": [{"threads": [1, 2]}, {"blocks": "all"}], "baseline": ["reduce/b/c"]}]})";
  const std::string alphabet = "{}[]\",:0123456789-.eE\\ntrufalse\n \xff";
  const unsigned seed = 20240229;
  std::mt19937 random(seed);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string mutilated = text;
    for (unsigned edits = random() % 3 + 1; edits > 0; --edits) {
      const std::size_t at = random() % mutilated.size();
      const char letter = alphabet[random() % alphabet.size()];
      if (random() % 2 == 0)
        mutilated[at] = letter;
      else
        mutilated.erase(at, random() % 4 + 1);
    }
    try {
      parsed(mutilated);
    } catch (const ConfigError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000) << "seed " << seed;
}

TEST(Schema, EveryKeyIsDescribed) {
  const nlohmann::ordered_json schema = config_schema();
  int keys = 0;
  const std::function<void(const nlohmann::ordered_json&)> visit = [&](const nlohmann::ordered_json& node) {
    if (node.is_object() && node.contains("properties") && !node.contains("then") &&
        node["properties"].is_object()) {
      for (const auto& [name, property] : node["properties"].items()) {
        if (property.contains("const") && !property.contains("description")) continue;  // an `if`
        EXPECT_FALSE(property.value("description", "").empty()) << name;
        ++keys;
      }
    }
    if (node.is_structured()) {
      for (const auto& part : node) visit(part);
    }
  };
  visit(schema);
  EXPECT_GT(keys, 30);
}

TEST(Schema, AKeywordThatIsNotUnderstoodIsNotPassedOver) {
  EXPECT_THROW(first_error({{"type", "integer"}, {"multipleOf", 2}}, 3), std::logic_error);
}

}  // namespace
}  // namespace tally
