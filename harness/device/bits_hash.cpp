#include "harness/device/bits_hash.h"

#include <atomic>
#include <cstring>

#include "harness/problems/exact.h"

namespace tally {

std::uint64_t hash_of_bits(const void* array, std::int64_t bytes) {
  const auto* first_byte = static_cast<const char*>(array);
  constexpr auto word_bytes = static_cast<std::int64_t>(sizeof(std::uint64_t));
  const std::int64_t whole = bytes / word_bytes;
  std::atomic<std::uint64_t> hash = 0;
  on_all_cores(whole, [&](std::int64_t first, std::int64_t last) {
    std::uint64_t mine = 0;
    for (std::int64_t i = first; i < last; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, first_byte + i * word_bytes, sizeof word);
      mine += word_share(word, i);
    }
    hash += mine;
  });
  if (const std::int64_t left = bytes - whole * word_bytes; left > 0) {
    std::uint64_t word = 0;
    std::memcpy(&word, first_byte + whole * word_bytes, static_cast<std::size_t>(left));
    hash += word_share(word, whole);
  }
  return hash;
}

}  // namespace tally
