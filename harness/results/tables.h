#pragma once

#include <string>
#include <vector>

#include "harness/measure/row.h"

namespace tally {

/// One table a problem, cache state and clock, in the order of the rows: entry, median, GB/s, fraction of the
/// ceiling, how much faster than each baseline, error in ulp. Rows of simt have their counts in place of
/// times. Repetitions of a cell are one line.
std::string tables_of(const std::vector<Row>& rows);

/// What was skipped, wrong, crashed or timed out; reasons that many cells share stand once.
std::string failures_in_words(const std::vector<Failure>& failures);

/// Repetitions of a cell as one row, in the order in which the cells first occur. Its median is the geometric
/// mean of theirs: processes fall into modes, and where there are two a median of few processes jumps from
/// one to the other.
std::vector<Row> without_repetitions(const std::vector<Row>& rows);

/// "korean_course/reduce2", with its tuning where the same entry stands in the table with several.
std::string label_of(const Row& row, bool with_tuning);

/// "<family>, op sum, float32, n = 65,536: cold, device clock".
std::string heading_of(const Row& row);

}  // namespace tally
