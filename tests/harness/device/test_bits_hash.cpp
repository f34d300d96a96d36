#include "harness/device/bits_hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tally {
namespace {

TEST(BitsHash, IsTheSumOfItsWordsSharesHoweverManyCoresAddItUp) {
  std::vector<std::uint64_t> words(300'000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = mixed_bits(i);
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) sum += word_share(words[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(hash_of_bits(words.data(), static_cast<std::int64_t>(words.size() * 8)), sum);
}

TEST(BitsHash, ChangesWithEveryBitAndEveryPlace) {
  for (const std::int64_t bytes : {1, 4, 7, 8, 9, 31, 1003}) {
    std::vector<unsigned char> array(static_cast<std::size_t>(bytes), 0x5a);
    const std::uint64_t before = hash_of_bits(array.data(), bytes);
    for (std::size_t place = 0; place < array.size(); ++place) {
      array[place] ^= 0x10;
      EXPECT_NE(hash_of_bits(array.data(), bytes), before) << "byte " << place << " of " << bytes;
      array[place] ^= 0x10;
    }
    EXPECT_EQ(hash_of_bits(array.data(), bytes), before);
  }
  const std::uint64_t words[] = {1, 2};
  const std::uint64_t swapped[] = {2, 1};
  EXPECT_NE(hash_of_bits(words, 16), hash_of_bits(swapped, 16));
}

}  // namespace
}  // namespace tally
