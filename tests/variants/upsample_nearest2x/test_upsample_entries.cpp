#include "tests/variants/family_run.h"

namespace tally {
namespace {

/// Those shapes in both directions.
std::vector<Knobs> in_both_directions(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::vector<Knobs> all;
  for (const auto& shape : shapes) {
    for (const char* direction : {"forward", "backward"})
      all.push_back({{"direction", std::string(direction)}, {"shape", shape}});
  }
  return all;
}

TEST(UpsampleEntries, AreRightForEveryShape) {
  for (const Distribution distribution :
       {Distribution::uniform, Distribution::mixed_sign, Distribution::exact}) {
    testing::run_family(testing::problems(
        "upsample_nearest2x", {840},
        in_both_directions(
            {{2, 3, 10, 14}, {1, 1, 1, 840}, {1, 1, 840, 1}, {840, 1, 1, 1}, {4, 0, 7, 5}, {1, 1, 0, 0}}),
        distribution));
    testing::run_family(testing::problems("upsample_nearest2x", {1, 2, 31, 997},
                                          in_both_directions({{1, 1, 0, 0}}), distribution));
  }
}

}  // namespace
}  // namespace tally
