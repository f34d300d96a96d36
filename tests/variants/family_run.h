#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "tests/support/exact_run.h"

namespace tally::testing {

/// Problems of a family: every combination of those sizes and knobs, with the given distribution; knobs that
/// are not named keep their defaults. The type is filled in by run_family.
inline std::vector<ProblemKey> problems(const std::string& family, const std::vector<std::int64_t>& sizes,
                                        const std::vector<Knobs>& knobs,
                                        Distribution distribution = Distribution::uniform) {
  std::vector<ProblemKey> all;
  for (const std::int64_t n : sizes) {
    for (const Knobs& some : knobs) {
      ProblemKey key{family, ScalarType::float32, n, some, 1 + all.size(), distribution};
      for (const KnobSpec& knob : families().at(family).knobs)
        key.knobs.try_emplace(knob.name, knob.default_value);
      all.push_back(key);
    }
  }
  return all;
}

/// Runs every entry of the family that is there on the device, with every type, on those of the problems that
/// it takes, and expects exact answers. An entry that takes none of them fails.
inline void run_family(DeviceKind kind, const std::vector<ProblemKey>& keys) {
  const std::unique_ptr<Device> device = open_device(kind, 0);
  int entries = 0;
  for (const Entry* entry : Catalog::instance().matching(keys.front().family + "/*")) {
    if (!entry->runs_on(kind) || !entry->known_wrong.empty()) continue;
    ++entries;
    int runs = 0;
    for (const ScalarType type : entry->types) {
      for (ProblemKey key : keys) {
        key.type = type;
        const auto result = testing::run_exactly(*device, *entry, key, entry->default_tuning());
        if (!result) continue;
        ++runs;
        ASSERT_TRUE(result->right) << entry->full_name() << " " << key.id() << " "
                                   << name_of(key.distribution) << " " << result->where << ": expected "
                                   << result->expected << ", got " << result->got;
      }
    }
    EXPECT_GT(runs, 0) << entry->full_name() << " took none of the problems";
  }
  EXPECT_GT(entries, 0) << keys.front().family << " has no entries on " << name_of(kind);
}

/// On the CPU executor and on the host.
inline void run_family(const std::vector<ProblemKey>& keys) {
  run_family(DeviceKind::simt, keys);
  run_family(DeviceKind::host, keys);
}

inline const Entry& entry_named(const std::string& full_name) {
  const Entry* entry = Catalog::instance().find(full_name);
  if (entry == nullptr) throw std::out_of_range("no entry " + full_name);
  return *entry;
}

}  // namespace tally::testing
