#pragma once

#include <string>

#include "harness/sweep/plan.h"

namespace tally {

/// "3.2 s", "4 min 10 s", "2 h 5 min".
std::string duration_text(double seconds);

/// What --dry-run prints: each problem with its cells and their estimated times, what is skipped or left out
/// and why, and the sum.
std::string plan_text(const Plan& plan, const Sweep& sweep);

}  // namespace tally
