#pragma once

#include <cstdint>

#include "harness/problems/inputs.h"

namespace tally {

/// The share that the 64-bit word at `place` has in the hash of an array: the hash is the sum of all shares,
/// so that it may be added up in any order, by any number of threads. The last word is filled up with zeros.
TALLY_FUNCTION std::uint64_t word_share(std::uint64_t word, std::int64_t place) {
  return mixed_bits(mixed_bits(word) + static_cast<std::uint64_t>(place));
}

/// The hash of an array in host memory. Distinct bits give distinct numbers (nearly always).
std::uint64_t hash_of_bits(const void* array, std::int64_t bytes);

}  // namespace tally
