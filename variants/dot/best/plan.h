#pragma once

#include "tuned.h"

/// Which kernel, in which shape, for how many bytes. Plain C++, so that it is tested without a GPU.
namespace tally_dot {

using tally_reduce::Kernel;
using tally_reduce::Plan;

inline constexpr int rows_of_table = sizeof(table) / sizeof(table[0]);
inline constexpr int rows_of_table_shifted = sizeof(table_shifted) / sizeof(table_shifted[0]);

constexpr const Row* rows(bool shifted) { return shifted ? table_shifted : table; }

/// The plan of the table's row for so many 16-byte words of each array.
constexpr Plan plan_for(std::int64_t words, bool shifted, int multiprocessors) {
  const Row* row = rows(shifted);
  while (words * 16 > row->most_bytes) ++row;
  return tally_reduce::plan_of(*row, words, multiprocessors);
}

/// Slots that are enough for every size.
constexpr int most_slots(int multiprocessors) {
  int most = 256;
  for (const bool shifted : {false, true}) {
    for (const Row* row = rows(shifted);; ++row) {
      const int staying = row->of_each_multiprocessor * multiprocessors - 1;
      if (staying > most) most = staying;
      if (row->most_bytes == any_size) break;
    }
  }
  return most;
}

}  // namespace tally_dot
