#include <regex>
#include <utility>

#include "harness/sweep/plan.h"

namespace tally {
namespace {

std::regex compiled(const std::string& expression) {
  try {
    return std::regex(expression, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error& error) {
    throw ConfigError("--filter \"" + expression + "\" is not a regular expression: " + error.what());
  }
}

}  // namespace

Plan filtered(const Plan& plan, const std::string& expression) {
  const std::regex wanted = compiled(expression);
  const auto keeps = [&wanted](const Cell& cell) { return std::regex_search(cell.name(), wanted); };
  Plan kept;
  kept.left_out = plan.left_out;
  for (const Group& group : plan.groups) {
    Group part{group.problem, {}, group.baselines};
    for (const Cell& cell : group.cells) {
      if (keeps(cell)) part.cells.push_back(cell);
    }
    if (!part.cells.empty()) kept.groups.push_back(std::move(part));
  }
  for (const SkippedCell& skipped : plan.skipped) {
    if (keeps(skipped.cell)) kept.skipped.push_back(skipped);
  }
  if (kept.groups.empty()) {
    throw ConfigError("--filter \"" + expression + "\" finds none of the plan's " +
                      std::to_string(plan.cells()) + " cells; one is " +
                      plan.groups.front().cells.front().name());
  }
  return kept;
}

}  // namespace tally
