#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/measure/row.h"

namespace tally {

/// Full names of the variants of a series in teaching order.
using StagesOf =
    std::function<std::vector<std::string>(const std::string& family, const std::string& series)>;

/// Each series of which every stage was measured on one problem, as a ladder: stage, median, how much faster
/// than the stage before and than the first, how much than each baseline, and the published figures of the
/// source's own machine. At its largest size and at sizes that have a published figure. A stage with several
/// tunings stands there with its fastest. Nothing for simt, whose times mean nothing.
std::string ladders_of(const std::vector<Row>& rows, const StagesOf& stages_of);

/// The catalog's series without their known wrong stages.
std::vector<std::string> stages_in_catalog(const std::string& family, const std::string& series);

}  // namespace tally
