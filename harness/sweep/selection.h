#pragma once

#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/sweep/config.h"

namespace tally {

/// An entry that a run asks for.
struct Selected {
  const Entry* entry = nullptr;
  bool by_name = false;      ///< asked for by its full name, not by a glob: what it cannot do is an error
  bool is_baseline = false;  ///< the others are compared with it
};

/// The entries of a run, in the catalog's order, baselines included. Throws ConfigError for names and globs
/// that match nothing, for types and knob values that no entry (or an entry asked for by name) can do.
std::vector<Selected> select_entries(const Sweep& sweep, const Run& run, const Catalog& catalog);

/// Every combination of the values of the run's knobs.
std::vector<Knobs> knob_combinations(const Run& run);

}  // namespace tally
