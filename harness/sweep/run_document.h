#pragma once

#include "harness/results/document.h"
#include "harness/sweep/run.h"

namespace tally {

/// What the results file says of a run beyond its rows. `devices` are what the workers' devices said of
/// themselves, by identity (none where none was opened).
DocumentHead document_head(const Sweep& sweep, const Plan& plan, const RunOptions& options,
                           const Json& devices, const Json& context, const std::string& started);

/// What a journal must have in common with a run to be gone on with.
JournalHeader journal_header(const Sweep& sweep, const Plan& plan, const RunOptions& options);

}  // namespace tally
