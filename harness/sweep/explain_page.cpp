#include "harness/sweep/explain_page.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <sstream>

#include "harness/catalog/describe.h"
#include "harness/results/text_table.h"
#include "harness/sources/source_path.h"

namespace tally {
namespace {

std::string figure(double value) {
  return value == std::floor(value) ? with_commas(value) : formatted("%.2f", value);
}

std::string figure(std::uint64_t value) { return with_commas(static_cast<double>(value)); }

/// The text of that line, without its indentation; empty where the source is not there.
std::string source_line(const std::string& file, int line) {
  std::ifstream stream(repository_when_built() + file);
  std::string text;
  for (int i = 0; i < line && std::getline(stream, text);) ++i;
  const std::size_t first = text.find_first_not_of(" \t");
  if (!stream || first == std::string::npos) return "";
  constexpr std::size_t widest = 88;
  return text.substr(first, widest);
}

std::string short_name(const Explained& entry) { return entry.entry.substr(entry.entry.rfind('/') + 1); }

std::string costs(const Explained& entry) {
  TextTable table({"What one call costs", short_name(entry)});
  for (const simt::CounterDescription& counter : simt::counter_descriptions()) {
    const double value = counter.value(entry.counters);
    if (value != 0) table.add({counter.meaning, figure(value)});
  }
  return "\n" + table.text();
}

/// Two tables: the counters in which the two differ, and those that they share.
std::string differences(const Explained& one, const Explained& other) {
  TextTable different({"What differs", short_name(one), short_name(other), "times"});
  TextTable equal({"What is equal", "both"});
  bool any_different = false;
  for (const simt::CounterDescription& counter : simt::counter_descriptions()) {
    const double a = counter.value(one.counters);
    const double b = counter.value(other.counters);
    if (a != b) {
      any_different = true;
      different.add({counter.meaning, figure(a), figure(b), a > 0 && b > 0 ? formatted("%.2f", a / b) : ""});
    } else if (a != 0) {
      equal.add({counter.meaning, figure(a)});
    }
  }
  return "\n" + (any_different ? different.text() : "  Nothing differs: all counters are equal.\n") + "\n" +
         equal.text();
}

/// Something that arises in source lines, and how often it might have.
struct Aspect {
  const char* title;
  const char* before_occasions;
  const char* after_occasions;
  std::uint64_t simt::LineCounters::*count;
  std::uint64_t simt::LineCounters::*occasion_count;
};

constexpr Aspect aspects[] = {
    {"sectors of global memory", " in ", " requests", &simt::LineCounters::sectors,
     &simt::LineCounters::global_requests},
    {"bank conflicts of shared memory", " in ", " requests", &simt::LineCounters::bank_conflicts,
     &simt::LineCounters::shared_requests},
    {"branches that split a warp", " of ", " that a warp came to", &simt::LineCounters::divergent_branches,
     &simt::LineCounters::branches},
};

/// The lines that have most of it, with their text.
std::string top_lines(const Explained& entry, const Aspect& aspect) {
  std::vector<simt::LineCounters> lines = entry.lines;
  std::erase_if(lines, [&](const simt::LineCounters& line) { return line.*aspect.count == 0; });
  if (lines.empty()) return "  " + std::string(aspect.title) + ": none\n";
  std::stable_sort(lines.begin(), lines.end(), [&](const simt::LineCounters& a, const simt::LineCounters& b) {
    return a.*aspect.count > b.*aspect.count;
  });
  constexpr std::size_t shown = 5;
  std::string text = "  " + std::string(aspect.title) + "\n";
  for (std::size_t i = 0; i < std::min(shown, lines.size()); ++i) {
    const simt::LineCounters& line = lines[i];
    const std::string place =
        line.file.empty() ? "unknown line" : line.file + ":" + std::to_string(line.line);
    const std::string count = figure(line.*aspect.count);
    text += std::string(12 - std::min<std::size_t>(12, count.size()), ' ') + count + aspect.before_occasions +
            figure(line.*aspect.occasion_count) + aspect.after_occasions + ", " + place + "\n";
    const std::string source = source_line(line.file, line.line);
    if (!source.empty()) text += std::string(13, ' ') + source + "\n";
  }
  if (lines.size() > shown) text += "             and " + figure(lines.size() - shown) + " lines with less\n";
  return text;
}

std::string where(const Explained& entry) {
  std::string text = "\n  Where it arises in " + entry.entry + "\n";
  for (const Aspect& aspect : aspects) text += top_lines(entry, aspect);
  return text;
}

}  // namespace

std::string explain_page(const std::vector<Explained>& entries, const std::string& problem) {
  std::ostringstream page;
  for (std::size_t i = 0; i < entries.size(); ++i) page << (i == 0 ? "" : " against ") << entries[i].entry;
  page << "\n" << problem << ": one call, counted on the CPU executor\n";
  for (const Explained& entry : entries) {
    page << "\n"
         << entry.entry << (entry.tuning.empty() ? "" : " with ") << entry.tuning << ": the answer is "
         << entry.answer << "\n";
    if (!entry.lesson.empty()) page << wrapped_text(entry.lesson, "  ");
    for (const simt::Finding& finding : entry.findings) page << "  FOUND: " << finding.message << "\n";
  }
  if (!simt::counting_available()) {
    page << "\nThis harness does not count: its kernels were not compiled by clang.\n";
    return page.str();
  }
  page << (entries.size() == 2 ? differences(entries[0], entries[1]) : costs(entries[0]));
  for (const Explained& entry : entries) page << where(entry);
  return page.str();
}

}  // namespace tally
