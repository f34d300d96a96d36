#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <numeric>
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

/// Seconds of one entry, by question: the geometric mean of its repetitions' medians, of its tunings the
/// best.
std::map<Question, double> seconds_of(const std::string& entry, const json& results) {
  std::map<Question, std::map<std::string, std::vector<double>>> logarithms;
  for (const json& row : results.value("benchmarks", json::array())) {
    const json ours = row.value("tally", json::object());
    if (ours.value("entry", "") != entry || !ours.contains("median")) continue;
    if (ours.value("device", "") == "simt") continue;  // the executor's own time
    const std::string problem = ours.value("problem", "");
    const Question question{problem.substr(0, problem.rfind('/')), ours.value("n", std::int64_t{0}), problem,
                            ours.value("cache", "") + ", " + ours.value("clock", "") + " clock"};
    logarithms[question][row.value("name", "")].push_back(std::log(ours.at("median").get<double>()));
  }
  std::map<Question, double> best;
  for (const auto& [question, cells] : logarithms) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [name, of_cell] : cells) {
      const double sum = std::accumulate(of_cell.begin(), of_cell.end(), 0.0);
      least = std::min(least, std::exp(sum / static_cast<double>(of_cell.size())));
    }
    best[question] = least;
  }
  return best;
}

}  // namespace

std::string measured_gain(const Entry& entry, const json& results, const std::string& name) {
  if (entry.predecessor.empty()) return "measured    nothing to compare: the first stage of its series\n";
  const auto ours = seconds_of(entry.full_name(), results);
  const auto before = seconds_of(entry.predecessor, results);
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
