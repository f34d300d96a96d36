#include "tests/variants/family_run.h"

namespace tally {
namespace {

std::vector<Knobs> all_knobs() {
  std::vector<Knobs> all;
  for (const std::int64_t dim : {0, 1}) {
    for (const std::int64_t duplicates : {1, 7, 0}) {  // all different … all the same
      for (const char* index_type : {"int32", "int64"}) {
        const Knobs knobs{{"dim", dim}, {"duplicates", duplicates}, {"index_type", std::string(index_type)}};
        for (const std::int64_t rows : {0, 13, 2000}) {
          all.push_back(knobs);
          all.back()["rows"] = rows;
          all.back()["width"] = rows == 13 ? std::int64_t{1} : std::int64_t{5};
          all.back()["alpha"] = rows == 0 ? 1.0 : -1.5;
          all.back()["first_index"] = rows == 2000 ? std::int64_t{100} : std::int64_t{0};
        }
      }
    }
  }
  return all;
}

TEST(IndexAddEntries, AreRightForEveryShapeAndAnyDuplicates) {
  for (const Distribution distribution : {Distribution::uniform, Distribution::exact}) {
    testing::run_family(testing::problems("index_add", {1, 33, 1009}, all_knobs(), distribution));
  }
}

/// Long enough that its blocks keep sums of their own where few rows are named (all the same, two, four), and
/// do not where many are.
TEST(IndexAddEntries, TheBestOneIsRightWhateverItsSampleSays) {
  std::vector<Knobs> all;
  for (const std::int64_t dim : {0, 1}) {
    for (const std::int64_t duplicates : {0, 2500, 1100, 1}) {
      for (const std::int64_t width : {1, 5}) {
        all.push_back({{"dim", dim}, {"duplicates", duplicates}, {"width", width}});
      }
    }
  }
  const Entry& best = testing::entry_named("index_add/hopper/best");
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  for (ProblemKey key : testing::problems("index_add", {4099}, all, Distribution::exact)) {
    for (const ScalarType type : {ScalarType::float32, ScalarType::float64}) {
      key.type = type;
      const auto result = testing::run_exactly(*device, best, key, best.default_tuning());
      ASSERT_TRUE(result.has_value()) << key.id();
      ASSERT_TRUE(result->right) << key.id() << " " << result->where << ": expected " << result->expected
                                 << ", got " << result->got;
    }
  }
}

}  // namespace
}  // namespace tally
