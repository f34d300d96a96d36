#pragma once

#include <bit>
#include <cstdint>

#include "variants/reduce/levels.h"

/// What is true of every stage that leaves one value a block, and has one block of a second launch add those
/// up. For many launches see levels.h.
namespace tally {

/// Both launches in blocks of t["threads"], each of which adds up shares of its threads and then a tree.
inline double additions_of_two_launches(const ProblemKey& key, const Tuning& t) {
  const std::int64_t threads = t["threads"];
  const std::int64_t blocks = t["blocks"];
  const int depth = std::bit_width(static_cast<std::uint64_t>(threads - 1));
  return static_cast<double>(blocks_for(key.n, blocks * threads) + blocks_for(blocks, threads) + 2 * depth);
}

inline Cost cost_of_two_launches(const ProblemKey& key, const Tuning& t) {
  const auto partial = static_cast<double>(size_of(accumulator_of(key.type)));
  const auto blocks = static_cast<double>(t["blocks"]);
  return {
      .bytes_read = static_cast<double>(key.n) * static_cast<double>(size_of(key.type)) + blocks * partial,
      .bytes_written = (blocks + 1) * partial,
      .launches = 2,
      .partials = t["blocks"]};
}

}  // namespace tally
