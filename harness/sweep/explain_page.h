#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/device/simt/counters.h"

namespace tally {

/// What one call of an entry showed on the executor.
struct Explained {
  std::string entry;   ///< full name
  std::string tuning;  ///< as Tuning::text() writes it
  std::string lesson;
  std::string answer;  ///< "right", or why not
  simt::Counters counters;
  std::vector<simt::LineCounters> lines;
  std::vector<simt::Finding> findings;
};

/// The page for one or two entries, for a person at a terminal. `problem` says what was called.
std::string explain_page(const std::vector<Explained>& entries, const std::string& problem);

}  // namespace tally
