#include "tests/variants/family_run.h"

namespace tally {
namespace {

std::vector<Knobs> ops_misaligned_by(std::int64_t elements) {
  std::vector<Knobs> all;
  for (const char* op : {"multiply", "square", "multiply_add"})
    all.push_back({{"op", std::string(op)}, {"misaligned_by", elements}});
  return all;
}

TEST(ElementwiseEntries, AreRightRoundPacksOfEveryWidth) {
  testing::run_family(testing::problems("elementwise", {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 1009},
                                        ops_misaligned_by(0), Distribution::mixed_sign));
}

TEST(ElementwiseEntries, AreRightWhereArraysAreNotAlignedToPacks) {
  for (const std::int64_t elements : {1, 2, 3, 5, 8}) {
    testing::run_family(testing::problems("elementwise", {1, 8, 31, 1009}, ops_misaligned_by(elements)));
  }
}

}  // namespace
}  // namespace tally
