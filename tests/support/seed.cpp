#include "tests/support/seed.h"

#include <cstdio>
#include <cstdlib>
#include <random>

namespace tally::testing {

std::uint64_t printed_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("TALLY_TEST_SEED");
    const std::uint64_t chosen =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::printf("TALLY_TEST_SEED=%llu\n", static_cast<unsigned long long>(chosen));
    return chosen;
  }();
  return seed;
}

}  // namespace tally::testing
