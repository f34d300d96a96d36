#include "harness/sources/source_path.h"

#include <gtest/gtest.h>

namespace tally {
namespace {

/// Whatever the compiler was told: a build can be half with a compiler cache that shortens paths, half
/// without.
TEST(SourcePathTest, IsTheSameHoweverTheCompilerWasToldIt) {
  const std::string root = repository_when_built();
  for (const std::string& told :
       {std::string("variants/dot/hopper.cu"), std::string("../../variants/dot/hopper.cu"),
        root + "variants/dot/hopper.cu", root + "build/cuda/../../variants/dot/hopper.cu"}) {
    EXPECT_EQ(path_in_repository(told), "variants/dot/hopper.cu") << told;
  }
}

TEST(SourcePathTest, KeepsWhatIsNotInTheRepository) {
  EXPECT_EQ(path_in_repository("/usr/include/c++/12/vector"), "/usr/include/c++/12/vector");
}

}  // namespace
}  // namespace tally
