#pragma once

#include <cstdint>

/// The kernels by shape, and what a row of the tables says. Plain C++, so that it is tested without a GPU.
namespace tally_upsample {

/// What the caches are told of what is moved once.
enum class Hint : std::uint8_t {
  none,        ///< keep as anything else; past the first-level cache
  evict_first  ///< the first to make place for others
};

/// A kernel's template arguments: threads of a block, and pieces of the small images a thread that are in
/// flight together. `most_piece`: bytes of a piece, if rows and pointers allow it.
struct Kernel {
  int threads;
  int depth;
  int most_piece = 8;
  Hint loads = Hint::none;
  Hint stores = Hint::none;

  constexpr bool operator==(const Kernel&) const = default;
  constexpr std::int64_t tile_pieces() const { return std::int64_t{threads} * depth; }
};

/// A kernel's template arguments one by one: nvcc takes no structure as an argument of a __global__ template.
template <int threads, int depth, int most_piece, Hint loads, Hint stores>
struct Arguments {
  static constexpr Kernel kernel{threads, depth, most_piece, loads, stores};
};
template <Kernel kernel>
using ArgumentsOf = Arguments<kernel.threads, kernel.depth, kernel.most_piece, kernel.loads, kernel.stores>;

/// From the row before it up to `most_bytes` of the small images.
struct Row {
  std::int64_t most_bytes;
  Kernel kernel;
};

inline constexpr std::int64_t any_size = INT64_MAX;
inline constexpr std::int64_t kilobytes = 1024;
inline constexpr std::int64_t megabytes = 1024 * kilobytes;

}  // namespace tally_upsample
