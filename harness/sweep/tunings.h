#pragma once

#include <string>
#include <vector>

#include "harness/sweep/config.h"
#include "harness/sweep/selection.h"

namespace tally {

/// A tuning, and why it is impossible for its entry where it is (then only globs asked for it).
struct AskedTuning {
  Tuning tuning;
  std::string refused;
};

/// The tunings that the run asks of one of its entries: every grid over the tunables that the entry has,
/// default values for the others; each once. Throws ConfigError for an impossible tuning of an entry asked
/// for by name. A combination that only "all" has put together and the entry refuses is left away.
std::vector<AskedTuning> tunings_of(const Sweep& sweep, const Run& run, const Selected& selected);

/// Throws ConfigError for tunables that no entry of the run has, and for values that none of those that have
/// it takes.
void refuse_unknown_tunables(const Sweep& sweep, const Run& run, const std::vector<Selected>& entries);

}  // namespace tally
