#pragma once

#include "harness/sweep/plan.h"

namespace tally {

/// About how long one call of the cell takes, in seconds, guessed before anything ran: the bytes of the
/// entry's cost model at a present GPU's (or CPU's, or the executor's) speed, and a floor for each launch.
double estimated_call(const Cell& cell);

/// About how long sampling the cell takes, one process: as many calls as a usual noise needs for the asked
/// half-width, within the limits of samples and seconds, each with its flush.
double estimated_sampling(const Cell& cell, const MeasureSettings& measure);

/// About how long the whole group takes, checks and all processes included.
double estimated_seconds(const Group& group, const Sweep& sweep);
double estimated_seconds(const Plan& plan, const Sweep& sweep);

}  // namespace tally
