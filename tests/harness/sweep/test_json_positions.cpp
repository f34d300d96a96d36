#include <gtest/gtest.h>

#include "harness/sweep/json_positions.h"

namespace tally {
namespace {

JsonTextError error_of(const std::string& text) {
  try {
    parse_with_positions(text);
  } catch (const JsonTextError& error) {
    return error;
  }
  ADD_FAILURE() << "accepted: " << text;
  return {"", 0, 0};
}

TEST(JsonPositions, ValuesAreTheParsersOwn) {
  const std::string text =
      R"({"a": [1, -2, 3.5, "x\"y", null, true], "b": {"c": {"d": []}}, "e": 18446744073709551615})";
  EXPECT_EQ(parse_with_positions(text).value, nlohmann::json::parse(text));
  EXPECT_EQ(parse_with_positions("7").value, nlohmann::json(7));
}

TEST(JsonPositions, EveryKeyAndElementHasItsLine) {
  const JsonPositions lines =
      parse_with_positions("{\n\"a\":\n1,\n\"b\": [\n10,\n20\n,\n{\"c/d\": 3\n}]}").lines;
  EXPECT_EQ(lines.at("/a"), 2);
  EXPECT_EQ(lines.at("/b"), 4);
  EXPECT_EQ(lines.at("/b/0"), 5);
  EXPECT_EQ(lines.at("/b/1"), 6);
  EXPECT_EQ(lines.at("/b/2"), 8);
  EXPECT_EQ(lines.at("/b/2/c~1d"), 8);
  EXPECT_EQ(lines.size(), 6u);
}

TEST(JsonPositions, APlaceWithoutALineTakesThatOfThePartAroundIt) {
  const JsonPositions lines = parse_with_positions("{\n\"a\": {\n\"b\": 1}}").lines;
  EXPECT_EQ(line_of(lines, "/a/b"), 3);
  EXPECT_EQ(line_of(lines, "/a/missing/deeper"), 2);
  EXPECT_EQ(line_of(lines, "/other"), std::nullopt);
}

TEST(JsonPositions, ADuplicateKeyIsAnErrorWhereItStandsAgain) {
  const JsonTextError error = error_of("{\"a\": 1,\n   \"b\": 2,\n  \"a\": 3}");
  EXPECT_EQ(error.line, 3);
  EXPECT_EQ(error.column, 3);
  EXPECT_NE(std::string(error.what()).find("\"a\""), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("first on line 1"), std::string::npos) << error.what();
}

TEST(JsonPositions, EqualKeysOfDifferentObjectsAreNoDuplicates) {
  EXPECT_NO_THROW(parse_with_positions(R"([{"a": 1}, {"a": {"a": 2}}])"));
}

TEST(JsonPositions, ADuplicateWithEscapesPointsAtItsOwnQuote) {
  const JsonTextError error = error_of(R"({"a\"b": 1, "a\"b": 2})");
  EXPECT_EQ(error.column, 13);
}

TEST(JsonPositions, SyntaxErrorsHaveLineAndColumn) {
  const JsonTextError comma = error_of("{\n  \"a\": 1,\n}");
  EXPECT_EQ(comma.line, 3);
  EXPECT_EQ(comma.column, 1);
  const JsonTextError word = error_of("{\"a\": yes}");
  EXPECT_EQ(word.line, 1);
  EXPECT_EQ(word.column, 7);
  EXPECT_EQ(error_of("{\n\"a\": 1").line, 2);
  EXPECT_EQ(error_of("").line, 1);
}

TEST(JsonPositions, WhatIsNotJsonIsRefused) {
  for (const char* const text : {"{\"a\": 1} x", "{'a': 1}", "{\"a\": 01}", "{\"a\": 1e999}", "// c\n{}",
                                 "[NaN]", "{\"a\": \"\xff\"}", "[1,]"}) {
    EXPECT_GT(error_of(text).line, 0) << text;
  }
}

TEST(JsonPositions, DeepNestingIsRefusedNotFollowed) {
  EXPECT_NE(std::string(error_of(std::string(100000, '[')).what()).find("deep"), std::string::npos);
}

}  // namespace
}  // namespace tally
