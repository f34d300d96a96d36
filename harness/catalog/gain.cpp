#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <vector>

#include "harness/catalog/describe.h"

namespace tally {
namespace {

using nlohmann::json;

/// What both of a pair must share.
struct Question {
  std::string kind;  // the problem's id without n, so that sizes stand in order
  std::int64_t n = 0;
  std::string problem;
  std::string conditions;
  auto operator<=>(const Question&) const = default;
};

/// Median seconds of one entry, by question: of its repetitions the middle one, of its tunings the best.
std::map<Question, double> medians_of(const std::string& entry, const json& results) {
  std::map<Question, std::map<std::string, std::vector<double>>> by_cell;
  for (const json& row : results.value("benchmarks", json::array())) {
    const json ours = row.value("tally", json::object());
    if (ours.value("entry", "") != entry || !ours.contains("median")) continue;
    if (ours.value("device", "") == "simt") continue;  // the executor's own time
    const std::string problem = ours.value("problem", "");
    const Question question{problem.substr(0, problem.rfind('/')), ours.value("n", std::int64_t{0}), problem,
                            ours.value("cache", "") + ", " + ours.value("clock", "") + " clock"};
    by_cell[question][row.value("name", "")].push_back(ours.at("median").get<double>());
  }
  std::map<Question, double> best;
  for (auto& [question, cells] : by_cell) {
    double least = std::numeric_limits<double>::infinity();
    for (auto& [name, medians] : cells) {
      const auto middle = medians.begin() + static_cast<std::ptrdiff_t>(medians.size() / 2);
      std::nth_element(medians.begin(), middle, medians.end());
      least = std::min(least, *middle);
    }
    best[question] = least;
  }
  return best;
}

}  // namespace

std::string measured_gain(const Entry& entry, const json& results, const std::string& name) {
  if (entry.predecessor.empty()) return "measured    nothing to compare: the first stage of its series\n";
  const auto ours = medians_of(entry.full_name(), results);
  const auto before = medians_of(entry.predecessor, results);
  std::string text;
  for (const auto& [question, seconds] : ours) {
    const auto other = before.find(question);
    if (other == before.end() || seconds <= 0) continue;
    char figures[96];
    std::snprintf(figures, sizeof figures, "%.4g us after %.4g us, %.3g times as fast", seconds * 1e6,
                  other->second * 1e6, other->second / seconds);
    text += "  " + question.problem + ", " + question.conditions + ": " + figures + "\n";
  }
  if (text.empty())
    return "measured    " + name + " holds no times of both it and " + entry.predecessor + "\n";
  const std::string gpu = results.value("context", json::object()).value("gpu", "");
  return "measured    over " + entry.predecessor + ", best tunings, in " + name +
         (gpu.empty() ? "" : " on " + gpu) + "\n" + text;
}

}  // namespace tally
