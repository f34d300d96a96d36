// What is read of machine code, against what nvcc says of the same kernels with -Xptxas -v.
#include "harness/device/machine_code.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tally {
namespace {

std::string sample() {
  std::ifstream stream(TALLY_TEST_DATA "machine_code_sample.elf", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(MachineCode, HasTheFactsThatTheCompilerReports) {
  const std::vector<KernelCode> kernels = kernels_in(sample());
  ASSERT_EQ(kernels.size(), 4u) << "two kernels for sm_80 and sm_90; the library's are left out";
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(kernels[i].file, "machine_code_sample.cu");
    EXPECT_EQ(kernels[i].architecture, i % 2 == 0 ? 80 : 90);
  }
  for (const KernelCode& spills : {kernels[0], kernels[1]}) {
    EXPECT_EQ(spills.kernel, "tally::spills(float*)");
    EXPECT_EQ(spills.registers, 24);
    EXPECT_EQ(spills.stack_bytes, 232);
    EXPECT_EQ(spills.local_stores, 256 / 4);
    EXPECT_EQ(spills.local_loads, 256 / 4);
    EXPECT_EQ(spills.static_shared_bytes, 0);
    EXPECT_EQ(spills.barriers, 1);
  }
  for (const KernelCode& barriers : {kernels[2], kernels[3]}) {
    EXPECT_EQ(barriers.kernel, "void tally::two_barriers<float>(float*)");
    EXPECT_EQ(barriers.registers, 10);
    EXPECT_EQ(barriers.stack_bytes, 0);
    EXPECT_EQ(barriers.local_stores, 0);
    EXPECT_EQ(barriers.local_loads, 0);
    EXPECT_EQ(barriers.static_shared_bytes, 400);
    EXPECT_EQ(barriers.barriers, 2);
  }
}

TEST(MachineCode, HasLengthAndHashOfEachKernelsCode) {
  const std::vector<KernelCode> kernels = kernels_in(sample());
  ASSERT_EQ(kernels.size(), 4u);
  EXPECT_EQ(kernels[0].code_bytes, 4352);
  EXPECT_EQ(kernels[1].code_bytes, 4352);
  EXPECT_NE(kernels[0].code_hash, kernels[1].code_hash);
  EXPECT_EQ(kernels[2].code_bytes, 384);
  EXPECT_EQ(kernels[3].code_bytes, 512);
  EXPECT_EQ(kernels[3].code_hash, 0x6f640abfd9d2f3f4u);
}

TEST(MachineCode, IsSilentWhereThereIsNone) {
  EXPECT_TRUE(kernels_in(std::string(100, 'x')).empty());
  EXPECT_NO_THROW(kernels_in_this_program());
}

TEST(MachineCode, RefusesAFileThatIsCutOff) {
  const std::string whole = sample();
  for (const double share : {0.0, 0.1, 0.5, 0.9, 0.99}) {
    const auto size = static_cast<std::size_t>(share * static_cast<double>(whole.size()));
    EXPECT_THROW(kernels_in(whole.substr(0, size)), std::runtime_error) << size << " bytes";
  }
}

}  // namespace
}  // namespace tally
