#pragma once

#include "harness/results/document.h"
#include "harness/sweep/run.h"

namespace tally {

/// What the results file says of a run beyond its rows. `device` is what the worker's device said of itself
/// (null where none was opened).
DocumentHead document_head(const Sweep& sweep, const Plan& plan, const RunOptions& options,
                           const Json& device, const Json& context, const std::string& started);

/// What a journal must have in common with a run to be gone on with.
JournalHeader journal_header(const Sweep& sweep, const Plan& plan, const RunOptions& options);

}  // namespace tally
