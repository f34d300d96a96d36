#pragma once

#include <optional>
#include <vector>

#include "harness/catalog/entry.h"
#include "harness/device/device.h"
#include "harness/problems/problem.h"

namespace tally::testing {

/// The entry's default tuning, and for each tunable each other value that it declares as worth trying.
std::vector<Tuning> tunings_of(const Entry& entry);

/// Problems of the entry's family with those sizes, all values of its choices, and a random seed that is
/// printed once and can be given back as TALLY_TEST_SEED. Distributions alternate; each size is there with
/// the exact one.
std::vector<ProblemKey> problems_of(const Entry& entry, ScalarType type,
                                    const std::vector<std::int64_t>& sizes);

/// Runs the entry once on poisoned outputs and scratch and checks every element; nothing where the entry
/// declares that it cannot take the problem or the tuning. Guard zones round the buffers are checked too.
std::optional<CheckResult> run_exactly(Device& device, const Entry& entry, const ProblemKey& key,
                                       const Tuning& tuning);

}  // namespace tally::testing
