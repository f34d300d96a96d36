#include "tests/variants/family_run.h"

namespace tally {
namespace {

const Knobs own_tenths{{"accumulate", std::string("own")}, {"values", std::string("tenths")}};
const Knobs own_fitting{{"accumulate", std::string("own")}, {"values", std::string("fitting")}};

TEST(DotEntries, AreRightOnTheHostToo) {
  testing::run_family(DeviceKind::host, testing::problems("dot", {1, 2, 31, 1000, 100003}, {{}}));
  testing::run_family(DeviceKind::host, testing::problems("dot", {1, 33, 100003}, {{}}, Distribution::exact));
}

CheckResult on_executor(const std::string& entry, std::int64_t n, const Knobs& knobs) {
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  ProblemKey key = testing::problems("dot", {n}, {knobs}).front();
  key.type = ScalarType::float16;
  const Entry& found = testing::entry_named(entry);
  return testing::run_exactly(*device, found, key, found.default_tuning()).value();
}

// The third point: inputs on which the published accumulators are exact, and one on which they stall.
TEST(DotEntries, HalfAccumulatorsAreExactOnFittingInputs) {
  for (const char* name :
       {"half_atomic", "half2_atomic", "fast_add", "float_accumulation", "deterministic"}) {
    for (const std::int64_t n : {1, 2, 33, 4097}) {  // an odd element is not lost
      const CheckResult result = on_executor("dot/half_atomics/" + std::string(name), n, own_fitting);
      EXPECT_TRUE(result.right) << name << " " << n << " " << result.got;
      EXPECT_EQ(result.error, 0) << name;
    }
  }
}

TEST(DotEntries, HalfAccumulatorsStallOnTenths) {
  constexpr std::int64_t n = 16384;  // the true answer is 163.8
  for (const char* name : {"half_atomic", "fast_add"}) {
    const CheckResult result = on_executor("dot/half_atomics/" + std::string(name), n, own_tenths);
    EXPECT_EQ(result.got, "32") << name;
    EXPECT_GT(result.error, 1000) << name;
  }
  EXPECT_EQ(on_executor("dot/half_atomics/half2_atomic", n, own_tenths).got, "64");
  for (const char* name : {"float_accumulation", "deterministic"}) {
    const CheckResult result = on_executor("dot/half_atomics/" + std::string(name), n, own_tenths);
    EXPECT_TRUE(result.right) << name;
    EXPECT_LT(result.error, 1) << name;
  }
}

TEST(DotEntries, HalfAccumulatorsAreNotAskedForWideAnswers) {
  const Entry& entry = testing::entry_named("dot/half_atomics/half_atomic");
  EXPECT_EQ(entry.knobs.at("accumulate"), std::set<std::string>{"own"});
  ProblemKey key = testing::problems("dot", {10}, {{}}).front();
  key.type = ScalarType::float16;
  EXPECT_EQ(entry.implementation_for(DeviceKind::simt, *make_problem(key)), nullptr);
}

}  // namespace
}  // namespace tally
