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

}  // namespace
}  // namespace tally
