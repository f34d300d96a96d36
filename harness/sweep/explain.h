#pragma once

#include <optional>
#include <string>

#include "harness/sweep/one_call.h"

namespace tally {

/// What --explain is asked.
struct ExplainOptions {
  std::string entry;                   ///< full name
  std::optional<std::string> against;  ///< full name of the entry that it is compared with
  AskedProblem problem;
  bool as_json = false;  ///< the counters alone, by name, for programs
};

/// Why an entry is as fast as it is: what the executor counts for one call with the default tuning, by source
/// line, next to another entry's counts. Returns the text to print. Throws ConfigError for unknown entries
/// and types, for problems that the entry cannot take, and for JSON from a build that does not count.
std::string explain(const ExplainOptions& options);

}  // namespace tally
