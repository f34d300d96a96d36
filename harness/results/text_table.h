#pragma once

#include <string>
#include <vector>

namespace tally {

/// A table for a terminal: the first column to the left, figures to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : rows_{std::move(headings)} {}

  /// Missing cells at the end are empty.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// With two spaces before each line and a rule under the headings.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// "4.26 µs", "1.03 ms": three to four digits.
std::string time_in_words(double seconds);

/// "3.2 s", "4 min 10 s", "2 h 5 min": for people who wait.
std::string wait_in_words(double seconds);

/// 1234567 as "1,234,567".
std::string with_commas(double whole_number);

/// printf for one number.
std::string formatted(const char* format, double value);

}  // namespace tally
