#pragma once

#include <string>
#include <vector>

#include "harness/results/journal.h"

namespace tally {

/// Where a cell stands in the plan; Google Benchmark's indices follow from it.
struct CellPlace {
  std::string name;
  int family_index = 0;               ///< of its entry, in the order in which entries first occur
  int per_family_instance_index = 0;  ///< of the cell among its entry's
};

/// What the top of the results file says, beyond the journal's content.
struct DocumentHead {
  Json context;  ///< Google Benchmark's, with our string facts
  Json tally;    ///< title, config, config_hash, command, plan, shard, provenance
  std::vector<CellPlace> cells;
  std::vector<Failure> skipped;  ///< by the plan
};

/// The results file: rows in the order of the plan, repetitions of a cell behind one another. A cell that
/// failed in any repetition has no row.
Json make_document(const DocumentHead& head, const JournalContent& content);

/// Failures of the plan and of the run, in the order of the plan, without what only the journal needs. One a
/// cell.
std::vector<Failure> all_failures(const DocumentHead& head, const JournalContent& content);

/// Puts the text at `path` as a whole or not at all: written beside it, synchronised, renamed. Throws
/// ResultsError; what was at `path` is then as it was.
void write_whole(const std::string& path, const std::string& text);

/// The document as text: readable, a row's long lists on one line each.
std::string document_text(const Json& document);

}  // namespace tally
