#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

/// Where an answer goes that the host waits for. Plain C++, so that it is tested without a GPU.
namespace tally_reduce {

/// In page-locked host memory (cudaMallocHost), for one call at a time. Each word carries 32 bits of the
/// answer and a mark that it has been written, and 64 bits are written and read as one: whoever sees the
/// marks has the answer, with no fence, no copy behind the kernel and no wait for the stream.
template <typename A>
struct HostAnswer {
  static_assert(sizeof(A) == 4 || sizeof(A) == 8);
  static constexpr int count = sizeof(A) / 4;
  static constexpr std::uint64_t written = std::uint64_t{1} << 32;

  std::uint64_t words[count];

  /// Before the call that will answer is queued.
  void clear() {
    for (std::uint64_t& word : words) std::atomic_ref(word).store(0, std::memory_order_relaxed);
  }

  /// True when the answer is there; then it is in `answer`.
  bool take(A& answer) {
    std::uint64_t bits = 0;
    for (int i = 0; i < count; ++i) {
      const std::uint64_t word = std::atomic_ref(words[i]).load(std::memory_order_relaxed);
      if ((word & written) == 0) return false;
      bits |= (word & 0xffffffffu) << 32 * i;
    }
    std::memcpy(&answer, &bits, sizeof answer);  // the low bytes first, as on every host with a GPU
    return true;
  }
};

}  // namespace tally_reduce
