#include "harness/results/tables.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "harness/measure/statistics.h"
#include "harness/results/text_table.h"

namespace tally {
namespace {

/// More columns than this do not fit on a screen.
constexpr std::size_t most_baselines = 4;

/// What the executor counts, summed under headings that fit.
struct CountColumn {
  const char* heading;
  std::vector<std::string> counters;
};

const std::vector<CountColumn>& count_columns() {
  static const std::vector<CountColumn> columns{
      {"launches", {"launches"}},
      {"sectors read", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
      {"sectors written", {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
      {"atomics", {"global_atomic_requests"}},
      {"bank conflicts",
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum"}},
      {"divergent branches", {"divergent_branches"}},
  };
  return columns;
}

std::string count_in(const Row& row, const CountColumn& column) {
  double sum = 0;
  bool counted = false;
  for (const std::string& name : column.counters) {
    const auto found = row.counters.find(name);
    if (found == row.counters.end()) continue;
    counted = true;
    sum += found->second;
  }
  return counted ? with_commas(sum) : "-";
}

using TableKey = std::tuple<std::string, CacheState, Clock, bool>;

TableKey key_of(const Row& row) {
  return {row.problem, row.cache, row.clock, row.device == DeviceKind::simt};
}

std::string ulp_of(const Row& row) { return formatted("%.3g", row.check.ulp); }

std::string table_of_counts(const std::vector<const Row*>& rows, const std::set<std::string>& tuned) {
  std::vector<std::string> headings{"entry"};
  for (const CountColumn& column : count_columns()) headings.emplace_back(column.heading);
  headings.emplace_back("ulp");
  TextTable table(headings);
  for (const Row* row : rows) {
    std::vector<std::string> cells{label_of(*row, tuned.contains(row->entry))};
    for (const CountColumn& column : count_columns()) cells.push_back(count_in(*row, column));
    cells.push_back(ulp_of(*row));
    table.add(std::move(cells));
  }
  return table.text();
}

/// Marks beside an entry's name, each explained once under the table.
class Marks {
 public:
  std::string of(const Row& row) {
    std::string marks;
    const auto mark = [&](bool applies, const char* sign) {
      if (!applies) return;
      marks += sign;
      used_.insert(sign);
    };
    mark(!row.like_for_like, "*");
    mark(row.ceiling && row.ceiling->above, "!");
    mark(row.clocks && row.clocks->throttled, "~");
    return marks.empty() ? marks : " " + marks;
  }
  std::string explained() const {
    std::string text;
    if (used_.contains("*"))
      text += "  * ends with the answer on the host: not like for like with the others\n";
    if (used_.contains("!"))
      text +=
          "  ! faster than the measured ceiling allows: an error of measurement, or outputs left in the cache\n";
    if (used_.contains("~")) text += "  ~ the clocks were throttled while it was measured\n";
    return text;
  }

 private:
  std::set<std::string> used_;
};

std::string table_of_times(const std::vector<const Row*>& rows, const std::set<std::string>& tuned) {
  std::vector<std::string> baselines;
  bool ceilings = false;
  for (const Row* row : rows) {
    ceilings = ceilings || row->ceiling;
    for (const auto& [name, ratio] : row->ratios) {
      const bool known = std::find(baselines.begin(), baselines.end(), name) != baselines.end();
      if (!known && baselines.size() < most_baselines) baselines.push_back(name);
    }
  }
  std::vector<std::string> headings{"entry", "median", "±", "GB/s"};
  if (ceilings) headings.emplace_back("of ceiling");
  for (const std::string& name : baselines) headings.push_back("vs " + name.substr(name.find('/') + 1));
  headings.emplace_back("ulp");
  TextTable table(headings);
  Marks marks;
  for (const Row* row : rows) {
    std::vector<std::string> cells{label_of(*row, tuned.contains(row->entry)) + marks.of(*row),
                                   time_in_words(row->median)};
    cells.push_back(row->interval
                        ? formatted("%.1f%%", 50 * (row->interval->high - row->interval->low) / row->median)
                        : "-");
    cells.push_back(row->median > 0 ? formatted("%.1f", row->bytes / row->median * 1e-9) : "-");
    if (ceilings) cells.push_back(row->ceiling ? formatted("%.1f%%", 100 * row->ceiling->fraction) : "-");
    for (const std::string& name : baselines) {
      const auto ratio = row->ratios.find(name);
      cells.push_back(ratio == row->ratios.end() ? (name == row->entry ? "1" : "-")
                                                 : formatted("%.2f×", ratio->second.value));
    }
    cells.push_back(ulp_of(*row));
    table.add(std::move(cells));
  }
  return table.text() + marks.explained();
}

}  // namespace

std::string label_of(const Row& row, bool with_tuning) {
  const std::string label = row.entry.substr(row.entry.find('/') + 1);
  return with_tuning && !row.tuning.values().empty() ? label + " " + row.tuning.text() : label;
}

std::string heading_of(const Row& row) {
  std::string text = row.family;
  for (const auto& [name, value] : row.knobs) text += ", " + name + " " + to_string(value);
  text += ", " + std::string(name_of(row.type)) + ", n = " + with_commas(static_cast<double>(row.n)) + ": ";
  if (row.device == DeviceKind::simt) return text + "counts of one call on the CPU executor";
  text += std::string(name_of(row.cache)) + (row.clock == Clock::device       ? ", device clock"
                                             : row.clock == Clock::end_to_end ? ", end to end"
                                                                              : ", replayed as a graph");
  return row.device == DeviceKind::host ? text + ", on the CPU" : text;
}

std::vector<Row> without_repetitions(const std::vector<Row>& rows) {
  std::vector<Row> merged;
  std::map<std::string, std::pair<std::size_t, std::vector<double>>> cells;
  for (const Row& row : rows) {
    const auto [cell, first] = cells.try_emplace(row.name, merged.size(), std::vector<double>{});
    if (first) merged.push_back(row);
    cell->second.second.push_back(row.median);
  }
  for (const auto& [name, cell] : cells) {
    Row& row = merged[cell.first];
    if (cell.second.size() == 1) continue;
    row.median = geometric_mean(cell.second);
    row.interval.reset();  // that of one process says nothing of the others
    if (row.ceiling) row.ceiling->fraction = row.ceiling->seconds / row.median;
  }
  return merged;
}

std::string tables_of(const std::vector<Row>& all_rows) {
  const std::vector<Row> rows = without_repetitions(all_rows);
  std::vector<TableKey> order;
  std::map<TableKey, std::vector<const Row*>> tables;
  for (const Row& row : rows) {
    if (!tables.contains(key_of(row))) order.push_back(key_of(row));
    tables[key_of(row)].push_back(&row);
  }
  std::string text;
  for (const TableKey& key : order) {
    const std::vector<const Row*>& members = tables.at(key);
    std::set<std::string> seen;
    std::set<std::string> tuned;
    for (const Row* row : members) {
      if (!seen.insert(row->entry).second) tuned.insert(row->entry);
    }
    text += "\n" + heading_of(*members.front()) + "\n";
    text += members.front()->device == DeviceKind::simt ? table_of_counts(members, tuned)
                                                        : table_of_times(members, tuned);
  }
  return text;
}

std::string failures_in_words(const std::vector<Failure>& failures) {
  constexpr std::size_t most_lines = 20;
  std::vector<std::pair<std::string, std::size_t>> lines;
  std::map<std::string, std::size_t> places;
  for (const Failure& failure : failures) {
    const std::string line =
        std::string(name_of(failure.status)) + ": " + failure.entry + ": " + failure.reason;
    const auto [place, first] = places.try_emplace(line, lines.size());
    if (first) lines.emplace_back(line, 0);
    ++lines[place->second].second;
  }
  // What makes the run fail comes first.
  std::stable_partition(lines.begin(), lines.end(), [](const auto& line) {
    return !line.first.starts_with("skipped") && !line.first.starts_with("known_wrong");
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i) {
    const auto& [line, cells] = lines[i];
    text += "  " + line + (cells > 1 ? " (" + std::to_string(cells) + " cells)" : "") + "\n";
  }
  if (lines.size() > most_lines)
    text += "  … and " + std::to_string(lines.size() - most_lines) + " more, in the results file\n";
  return text.empty() ? text : "\nCells without a row:\n" + text;
}

}  // namespace tally
