#include "harness/results/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tally {
namespace {

/// Characters on the screen: bytes that go on with a UTF-8 character take no place of their own.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

}  // namespace

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], width_of(row[column]));
  }
  std::string all;
  for (const auto& row : rows_) {
    std::string line = " ";
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width_of(row[column]), ' ');
      line += (column == 0 ? " " : "  ") + (column == 0 ? row[column] + padding : padding + row[column]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + "\n";
    if (&row != &rows_.front()) continue;
    std::size_t rule = 0;
    for (const std::size_t width : widths) rule += width + 2;
    all += "  " + std::string(rule - 2, '-') + "\n";
  }
  return all;
}

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string time_in_words(double seconds) {
  if (seconds < 1e-6) return formatted("%.1f ns", seconds * 1e9);
  if (seconds < 1e-3) return formatted("%.2f µs", seconds * 1e6);
  if (seconds < 1) return formatted("%.3f ms", seconds * 1e3);
  return formatted("%.3f s", seconds);
}

std::string wait_in_words(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(seconds, 0.0)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string with_commas(double whole_number) {
  std::string digits = std::to_string(std::llround(whole_number));
  for (std::ptrdiff_t place = static_cast<std::ptrdiff_t>(digits.size()) - 3;
       place > (digits[0] == '-' ? 1 : 0); place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

}  // namespace tally
