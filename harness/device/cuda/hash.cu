#include "harness/device/cuda/hash.h"

#include <algorithm>

#include "harness/device/bits_hash.h"
#include "harness/device/cuda/launch.h"

namespace tally::cuda {
namespace {

/// `count` bytes, at most eight, from any address.
__device__ std::uint64_t word_of_bytes(const unsigned char* bytes, std::int64_t count) {
  std::uint64_t word = 0;
  for (std::int64_t i = 0; i < count; ++i) word |= static_cast<std::uint64_t>(bytes[i]) << 8 * i;
  return word;
}

/// An array need not be aligned to words: problems can be misaligned by an element.
__global__ void add_shares(const unsigned char* array, std::int64_t bytes, unsigned long long* hash) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(array) % 8 == 0;
  const auto* words = reinterpret_cast<const std::uint64_t*>(array);
  const std::int64_t whole = bytes / 8;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::uint64_t sum = 0;
  for (std::int64_t i = thread; i < whole; i += stride) {
    sum += word_share(aligned ? words[i] : word_of_bytes(array + 8 * i, 8), i);
  }
  if (thread == 0 && whole * 8 < bytes) {
    sum += word_share(word_of_bytes(array + 8 * whole, bytes - 8 * whole), whole);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(0xffffffffu, sum, lanes);
  if (threadIdx.x % 32 == 0) atomicAdd(hash, static_cast<unsigned long long>(sum));
}

}  // namespace

void add_hash(const void* array, std::int64_t bytes, unsigned long long* hash, cudaStream_t stream) {
  constexpr std::int64_t threads = 256;
  constexpr std::int64_t most_blocks = 132 * 8;
  const std::int64_t blocks = std::clamp<std::int64_t>(bytes / (8 * threads), 1, most_blocks);
  add_shares<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, stream>>>(
      static_cast<const unsigned char*>(array), bytes, hash);
  require(cudaGetLastError(), "hash");
}

}  // namespace tally::cuda
