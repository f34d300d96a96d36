/// \file
/// What tests of the checks share: a kernel's findings, expected to be of one kind at one line, or none.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/device/simt/counters.h"
#include "tests/harness/device/simt/kernels_under_test.h"

namespace tally::simt {

class Checks : public testing::Test {
 protected:
  void SetUp() override {
    if (!counting_available()) GTEST_SKIP() << "kernels are not instrumented: no clang";
  }
};

/// Runs `body` and gives what was found. A launch that ends in an error is expected to have been found, too.
inline std::vector<Finding> findings_of(auto&& body) {
  Session session;
  try {
    body();
  } catch (const LaunchError& error) {
    EXPECT_FALSE(session.findings().empty()) << error.what();
  }
  return session.findings();
}

inline std::string all_messages(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += finding.message + "\n";
  return text;
}

#define EXPECT_CLEAN(...)                                 \
  do {                                                    \
    const auto found = findings_of([&] { __VA_ARGS__; }); \
    EXPECT_TRUE(found.empty()) << all_messages(found);    \
  } while (false)

/// The findings are one kind at least once at `line`, and nothing of another kind.
inline void expect_found(const std::vector<Finding>& findings, FindingKind kind, int line,
                         const char* test_file = __builtin_FILE()) {
  ASSERT_FALSE(findings.empty());
  bool at_line = false;
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.kind, kind) << finding.message;
    EXPECT_TRUE(std::string(test_file).ends_with(finding.file)) << finding.message;
    EXPECT_NE(finding.message.find(finding.kernel), std::string::npos) << finding.message;
    EXPECT_GT(finding.count, 0u);
    at_line |= finding.line == line;
  }
  EXPECT_TRUE(at_line) << "line " << line << " in:\n" << all_messages(findings);
}

}  // namespace tally::simt
