#include "harness/results/ladder.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/catalog/catalog.h"
#include "harness/results/tables.h"
#include "harness/results/text_table.h"

namespace tally {
namespace {

/// Fastest row of each entry of one series on one problem.
using Stages = std::map<std::string, const Row*>;

/// All that a ladder's sizes have in common: family, series, type, knobs, cache and clock.
using LadderKey = std::tuple<std::string, std::string, ScalarType, Knobs, CacheState, Clock>;

bool has_published(const Stages& stages) {
  return std::any_of(stages.begin(), stages.end(), [](const auto& stage) {
    return std::any_of(stage.second->published.begin(), stage.second->published.end(),
                       [&](const Published& figure) { return figure.n == stage.second->n; });
  });
}

std::string published_of(const Row& row) {
  std::string text;
  for (const Published& figure : row.published) {
    if (figure.type != row.type) continue;
    text += (text.empty() ? "" : "; ") + formatted("%g ", figure.value) + figure.unit + " (" +
            figure.machine +
            (figure.n == row.n ? "" : ", n = " + with_commas(static_cast<double>(figure.n))) + ")";
  }
  return text;
}

std::string faster(double before, double now) { return formatted("%.2f×", before / now); }

std::string ladder_text(const std::vector<std::string>& order, const Stages& stages) {
  std::set<std::string> baselines;
  bool published = false;
  for (const auto& [name, row] : stages) {
    for (const auto& [baseline, ratio] : row->ratios) baselines.insert(baseline);
    published = published || !published_of(*row).empty();
  }
  std::vector<std::string> headings{"stage", "median", "vs before", "vs first"};
  for (const std::string& name : baselines) headings.push_back("vs " + name.substr(name.find('/') + 1));
  if (published) headings.emplace_back("published");
  TextTable table(headings);
  const Row& first = *stages.at(order.front());
  const Row* before = nullptr;
  for (const std::string& name : order) {
    const Row& row = *stages.at(name);
    // The stage that it names as the one before, where that is another than its neighbour.
    const auto named = stages.find(row.follows);
    if (named != stages.end()) before = named->second;
    std::vector<std::string> cells{name.substr(name.rfind('/') + 1) + (row.like_for_like ? "" : " *"),
                                   time_in_words(row.median),
                                   before == nullptr ? "" : faster(before->median, row.median),
                                   &row == &first ? "" : faster(first.median, row.median)};
    for (const std::string& baseline : baselines) {
      const auto ratio = row.ratios.find(baseline);
      cells.push_back(ratio == row.ratios.end() ? "-" : formatted("%.2f×", ratio->second.value));
    }
    if (published) cells.push_back(published_of(row));
    table.add(std::move(cells));
    before = &row;
  }
  return "\nLadder " + first.series + " — " + heading_of(first) + "\n" + table.text();
}

}  // namespace

std::vector<std::string> stages_in_catalog(const std::string& family, const std::string& series) {
  std::vector<std::string> names;
  for (const Entry* entry : Catalog::instance().series(family, series)) {
    if (entry->known_wrong.empty()) names.push_back(entry->full_name());
  }
  return names;
}

std::string ladders_of(const std::vector<Row>& all_rows, const StagesOf& stages_of) {
  const std::vector<Row> rows = without_repetitions(all_rows);
  std::map<LadderKey, std::map<std::int64_t, Stages>> ladders;
  std::vector<LadderKey> found;
  for (const Row& row : rows) {
    if (row.baseline || row.device == DeviceKind::simt) continue;
    const LadderKey key{row.family, row.series, row.type, row.knobs, row.cache, row.clock};
    if (!ladders.contains(key)) found.push_back(key);
    const Row*& kept = ladders[key][row.n][row.entry];
    if (kept == nullptr || row.median < kept->median) kept = &row;
  }
  std::string text;
  for (const LadderKey& key : found) {
    const std::vector<std::string> order = stages_of(std::get<0>(key), std::get<1>(key));
    if (order.size() < 2) continue;
    bool largest = true;
    std::string of_series;
    const auto& sizes = ladders.at(key);
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size) {
      const Stages& stages = size->second;
      const bool whole = std::all_of(order.begin(), order.end(),
                                     [&stages](const std::string& name) { return stages.contains(name); });
      if (!whole || !(largest || has_published(stages))) continue;
      of_series.insert(0, ladder_text(order, stages));
      largest = false;
    }
    text += of_series;
  }
  return text;
}

}  // namespace tally
