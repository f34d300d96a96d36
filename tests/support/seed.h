#pragma once

#include <cstdint>

namespace tally::testing {

/// A seed that is another one in every run, printed once; TALLY_TEST_SEED gives it back.
std::uint64_t printed_seed();

}  // namespace tally::testing
