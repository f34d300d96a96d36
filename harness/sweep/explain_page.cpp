#include "harness/sweep/explain_page.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "harness/results/text_table.h"

namespace tally {
namespace {

std::string figure(double value) {
  return value == std::floor(value) ? with_commas(value) : formatted("%.2f", value);
}

/// The text of that line, without its indentation; empty where the source is not there.
std::string source_line(const std::string& file, int line) {
  std::ifstream stream(TALLY_SOURCE_ROOT + file);
  std::string text;
  for (int i = 0; i < line && std::getline(stream, text);) ++i;
  const std::size_t first = text.find_first_not_of(" \t");
  if (!stream || first == std::string::npos) return "";
  constexpr std::size_t widest = 72;
  return text.substr(first, widest);
}

std::string counters_table(const std::vector<Explained>& entries) {
  std::vector<std::string> headings{"counter"};
  for (const Explained& entry : entries) headings.push_back(entry.entry.substr(entry.entry.rfind('/') + 1));
  TextTable table(headings);
  for (const simt::CounterDescription& counter : simt::counter_descriptions()) {
    std::vector<std::string> cells{counter.name};
    bool any = false;
    for (const Explained& entry : entries) {
      const double value = counter.value(entry.counters);
      any = any || value != 0;
      cells.push_back(figure(value));
    }
    if (any) table.add(cells);
  }
  return table.text();
}

/// In words: what one has more of than the other.
std::string differences(const Explained& one, const Explained& other) {
  std::string text;
  for (const simt::CounterDescription& counter : simt::counter_descriptions()) {
    const double a = counter.value(one.counters);
    const double b = counter.value(other.counters);
    if (a == b) continue;
    text += "  " + std::string(counter.meaning) + ": " + figure(a) + " against " + figure(b);
    if (a > 0 && b > 0) text += " (" + formatted("%.2f", a / b) + " times)";
    text += "\n";
  }
  return text.empty() ? "  nothing: the counters are equal\n" : text;
}

struct Aspect {
  const char* title;
  std::function<std::uint64_t(const simt::LineCounters&)> value;
};

/// The lines that have most of something, with their text.
std::string top_lines(const Explained& entry, const Aspect& aspect) {
  std::vector<simt::LineCounters> lines = entry.lines;
  std::erase_if(lines, [&](const simt::LineCounters& line) { return aspect.value(line) == 0; });
  if (lines.empty()) return "";
  std::stable_sort(lines.begin(), lines.end(), [&](const simt::LineCounters& a, const simt::LineCounters& b) {
    return aspect.value(a) > aspect.value(b);
  });
  constexpr std::size_t shown = 5;
  std::string text = "  " + std::string(aspect.title) + "\n";
  for (std::size_t i = 0; i < std::min(shown, lines.size()); ++i) {
    const simt::LineCounters& line = lines[i];
    const std::string place =
        line.file.empty() ? "unknown line" : line.file + ":" + std::to_string(line.line);
    const std::string count = with_commas(static_cast<double>(aspect.value(line)));
    text += "    " + std::string(12 - std::min<std::size_t>(12, count.size()), ' ') + count + "  " + place +
            "  " + source_line(line.file, line.line) + "\n";
  }
  return text;
}

std::string where(const Explained& entry) {
  const Aspect aspects[] = {
      {"sectors of global memory", [](const simt::LineCounters& l) { return l.sectors; }},
      {"bank conflicts of shared memory", [](const simt::LineCounters& l) { return l.bank_conflicts; }},
      {"branches that split a warp", [](const simt::LineCounters& l) { return l.divergent_branches; }},
  };
  std::string text;
  for (const Aspect& aspect : aspects) text += top_lines(entry, aspect);
  return text.empty() ? "  no line stands out\n" : text;
}

}  // namespace

std::string explain_page(const std::vector<Explained>& entries, const std::string& problem) {
  std::ostringstream page;
  for (std::size_t i = 0; i < entries.size(); ++i) page << (i == 0 ? "" : " against ") << entries[i].entry;
  page << "\n" << problem << ": one call, counted on the CPU executor\n";
  for (const Explained& entry : entries) {
    page << "\n" << entry.entry << ": the answer is " << entry.answer << "\n";
    if (!entry.lesson.empty()) page << "  " << entry.lesson << "\n";
    for (const simt::Finding& finding : entry.findings) page << "  FOUND: " << finding.message << "\n";
  }
  if (!simt::counting_available()) {
    page << "\nThis harness does not count: its kernels were not compiled by clang.\n";
    return page.str();
  }
  page << "\n" << counters_table(entries);
  if (entries.size() == 2) page << "\nWhat differs\n" << differences(entries[0], entries[1]);
  for (const Explained& entry : entries)
    page << "\nWhere it arises in " << entry.entry << "\n" << where(entry);
  return page.str();
}

}  // namespace tally
