#pragma once

#include <cstdint>
#include <string_view>

#include "harness/problems/inputs.h"

namespace tally {

/// A stream of random numbers that is the same on every machine, unlike the standard library's distributions.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(mixed_bits(seed)) {}

  std::uint64_t next() { return mixed_bits(state_++); }

  /// 0 … bound - 1; for bounds far below 2^32 as good as even.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }

 private:
  std::uint64_t state_;
};

/// A seed of its own for everything that has a name (FNV-1a).
inline std::uint64_t seed_for(std::uint64_t seed, std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ull ^ mixed_bits(seed);
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ull;
  return mixed_bits(hash);
}

}  // namespace tally
