#include "harness/sweep/plan_text.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "harness/sweep/estimate.h"

namespace tally {
namespace {

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Lines "what: reason (n cells)", each reason once.
class Reasons {
 public:
  void add(const std::string& what, std::size_t cells) {
    if (!counts_.contains(what)) order_.push_back(what);
    counts_[what] += cells;
  }
  void print(std::ostream& out, const char* heading) const {
    if (order_.empty()) return;
    out << heading << "\n";
    for (const std::string& what : order_)
      out << "  " << what << " (" << counted(counts_.at(what), "cell") << ")\n";
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace

std::string duration_text(double seconds) {
  char text[48];
  if (seconds < 60) {
    std::snprintf(text, sizeof text, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  } else {
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 3600) {
      std::snprintf(text, sizeof text, "%lld min %lld s", whole / 60, whole % 60);
    } else {
      std::snprintf(text, sizeof text, "%lld h %lld min", whole / 3600, whole % 3600 / 60);
    }
  }
  return text;
}

std::string plan_text(const Plan& plan, const Sweep& sweep) {
  std::ostringstream out;
  for (const Group& group : plan.groups) {
    out << group.problem.id() << ": " << counted(group.cells.size(), "cell") << ", about "
        << duration_text(estimated_seconds(group, sweep)) << "\n";
    for (const Cell& cell : group.cells) {
      out << "  " << cell.name() << (cell.device == group.cells.front().device ? "" : " on ")
          << (cell.device == group.cells.front().device ? "" : name_of(cell.device)) << "\n";
    }
  }
  Reasons skipped;
  for (const SkippedCell& cell : plan.skipped)
    skipped.add(cell.cell.entry->full_name() + ": " + cell.reason, 1);
  skipped.print(out, "Skipped, for the entry's own reason:");
  Reasons left_out;
  for (const LeftOut& left : plan.left_out) {
    const bool is_size = left.why == LeftOut::Why::size;
    left_out.add((is_size ? "n = " + std::to_string(left.problem.n) : left.what) + ": " + left.reason,
                 left.cells);
  }
  left_out.print(out, "Left out on this device:");
  out << counted(plan.cells(), "cell") << " of " << counted(plan.groups.size(), "problem") << ", "
      << plan.skipped.size() << " skipped, " << plan.cells_too_large() << " left out for their size; about "
      << duration_text(estimated_seconds(plan, sweep)) << ".\n";
  if (plan.groups.empty()) out << "No problem of the plan falls to this shard: this shard is empty.\n";
  return out.str();
}

}  // namespace tally
