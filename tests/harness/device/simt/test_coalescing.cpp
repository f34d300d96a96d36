// The cost model of one warp's memory instruction, against what an H200 counted for 320 access patterns.
#include "harness/device/simt/coalescing.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tally::simt {
namespace {

struct HardwareRow {
  std::string op;
  unsigned bytes = 0;
  std::uint64_t stride = 0, offset = 0;
  std::uint32_t lanes = 0;
  std::array<int, 4> counts{};  // bank conflicts, wavefronts, requests, sectors; -1 where the file has none
  std::string text;
};

std::vector<HardwareRow> hardware_rows() {
  std::ifstream file(TALLY_TEST_DATA "hardware_counters.csv");
  std::vector<HardwareRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("op,")) continue;
    HardwareRow row;
    row.text = line;
    std::vector<std::string> fields;
    std::istringstream stream(line + ",");
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    fields.resize(9);
    row.op = fields[0];
    row.bytes = static_cast<unsigned>(std::stoul(fields[1]));
    row.stride = std::stoul(fields[2]);
    row.offset = std::stoul(fields[3]);
    row.lanes = static_cast<std::uint32_t>(std::stoul(fields[4], nullptr, 16));
    for (int i = 0; i < 4; ++i) row.counts[i] = fields[5 + i].empty() ? -1 : std::stoi(fields[5 + i]);
    rows.push_back(row);
  }
  return rows;
}

TEST(Coalescing, equals_the_hardware_in_every_row) {
  const auto rows = hardware_rows();
  ASSERT_EQ(rows.size(), 320u);
  std::map<std::string, int> seen;
  for (const HardwareRow& row : rows) {
    ++seen[row.op];
    std::array<std::uint64_t, 32> addresses;
    for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = (lane * row.stride + row.offset) * row.bytes;
    const WarpAccess access{row.lanes, row.bytes, addresses.data()};
    if (row.op.starts_with("shared")) {
      const SharedCost cost = row.op == "shared_load"      ? shared_load(access)
                              : row.op == "shared_store"   ? shared_store(access)
                              : row.op == "shared_red"     ? shared_atomic(access)
                              : row.op == "shared_red_f32" ? shared_atomic_loop(access)
                                                           : SharedCost{~0u, ~0u};
      EXPECT_EQ(static_cast<int>(cost.bank_conflicts), row.counts[0]) << row.text;
      EXPECT_EQ(static_cast<int>(cost.wavefronts), row.counts[1]) << row.text;
    } else {
      const unsigned sectors =
          row.op.starts_with("global_red") ? global_atomic_sectors(access) : global_sectors(access);
      EXPECT_EQ(row.counts[2], 1) << row.text;
      EXPECT_EQ(static_cast<int>(sectors), row.counts[3]) << row.text;
    }
  }
  EXPECT_EQ(seen.size(), 9u);
}

/// A second opinion, written as the definition reads.
unsigned sectors_by_set(const WarpAccess& access) {
  std::set<std::uint64_t> sectors;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (((access.active >> lane) & 1) == 0) continue;
    for (unsigned byte = 0; byte < access.bytes; ++byte) sectors.insert((access.addresses[lane] + byte) / 32);
  }
  return static_cast<unsigned>(sectors.size());
}

unsigned wavefronts_by_set(const WarpAccess& access) {
  std::map<unsigned, std::set<std::uint64_t>> words;
  std::size_t most = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (((access.active >> lane) & 1) == 0) continue;
    const std::uint64_t word = access.addresses[lane] / 4;
    words[word % 32].insert(word);
    most = std::max(most, words[word % 32].size());
  }
  return static_cast<unsigned>(most);
}

TEST(Coalescing, equals_its_definition_on_random_addresses) {
  constexpr unsigned seed = 31;
  std::mt19937 generator(seed);
  for (int i = 0; i < 20000; ++i) {
    const unsigned bytes = 1u << generator() % 5;
    const unsigned span = 1u << generator() % 12;
    std::array<std::uint64_t, 32> addresses;
    for (auto& address : addresses) address = 4096 + generator() % span * bytes;
    const WarpAccess access{static_cast<std::uint32_t>(generator()), bytes, addresses.data()};
    ASSERT_EQ(global_sectors(access), sectors_by_set(access)) << "seed " << seed << " step " << i;
    if (bytes <= 4) {
      const unsigned wavefronts = wavefronts_by_set(access);
      ASSERT_EQ(shared_load(access).wavefronts, wavefronts) << "seed " << seed << " step " << i;
      ASSERT_EQ(shared_store(access).bank_conflicts, wavefronts == 0 ? 0 : wavefronts - 1) << "seed " << seed;
    }
  }
}

TEST(Coalescing, an_instruction_without_lanes_costs_nothing) {
  const WarpAccess nobody{0, 16, nullptr};
  EXPECT_EQ(shared_load(nobody), SharedCost{});
  EXPECT_EQ(shared_store(nobody), SharedCost{});
  EXPECT_EQ(shared_atomic(nobody), SharedCost{});
  EXPECT_EQ(global_sectors(nobody), 0u);
  EXPECT_EQ(global_atomic_sectors(nobody), 0u);
  EXPECT_EQ(address_conflicts(nobody), 0u);
}

TEST(Coalescing, counts_lanes_that_share_an_address) {
  std::array<std::uint64_t, 32> addresses;
  for (unsigned lane = 0; lane < 32; ++lane) addresses[lane] = lane / 4 * 4;
  EXPECT_EQ(address_conflicts({0xffffffffu, 4, addresses.data()}), 24u);
  EXPECT_EQ(global_atomic_sectors({0xffffffffu, 4, addresses.data()}), 4u);
  EXPECT_EQ(address_conflicts({0x11111111u, 4, addresses.data()}), 0u);
}

}  // namespace
}  // namespace tally::simt
