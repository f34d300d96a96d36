#pragma once

#include <cstdint>
#include <vector>

#include "harness/problems/function.h"
#include "harness/problems/problem.h"

/// Family `upsample_nearest2x`: images [n, c, h, w] to [n, c, 2h, 2w] by repeating each element in a 2×2
/// square, and the way back for gradients, the sum of the square. The problem's n counts the elements of the
/// small images, n·c·h·w.
///
///   forward:   out[k][y][x] = in[k][y / 2][x / 2]                       k counts the n·c images
///   backward:  out[k][y][x] = in[k][2y][2x] + in[k][2y][2x + 1] + in[k][2y + 1][2x] + in[k][2y + 1][2x + 1]
namespace tally {

struct Forward {
  static constexpr const char* name = "forward";
};

struct Backward {
  static constexpr const char* name = "backward";
};

/// The shape [n, c, h, w] that a problem of that key has: the knob's, with what is 0 in it filled in from the
/// size. Throws ProblemError.
std::vector<std::int64_t> upsampled_shape(const ProblemKey& key);

/// The element of the small images that element `output` of the large ones repeats. A large image has an even
/// number of rows, so rows can be counted through all images.
template <typename Index>
TALLY_FUNCTION Index element_behind(Index output, Index width) {
  const Index row = output / (2 * width);
  const Index column = output - row * 2 * width;
  return row / 2 * width + column / 2;
}

/// The first of the four elements of the large images that belong to `element` of the small ones; the others
/// are the next one, and both 2·width on.
template <typename Index>
TALLY_FUNCTION Index corner_of_square(Index element, Index width) {
  const Index row = element / width;
  const Index column = element - row * width;
  return row * 4 * width + column * 2;
}

inline constexpr const char* name_of_UpsampleNearest2x = "upsample_nearest2x";

/// What a variant or baseline of the family is given.
template <typename T, typename Direction>
struct UpsampleNearest2x {
  using Value = T;
  const T* in;            ///< the small images forward, the large ones backward; device memory
  T* out;                 ///< the others
  std::int64_t elements;  ///< of the small images
  std::int64_t height;    ///< of a small image
  std::int64_t width;

  static bool serves(const Problem& problem) { return problem.key().text("direction") == Direction::name; }

  static UpsampleNearest2x bind(const Problem& problem, const Buffers& buffers) {
    const std::vector<std::int64_t> shape = upsampled_shape(problem.key());
    return {buffers.array<const T>(0), buffers.array<T>(1), problem.key().n, shape[2], shape[3]};
  }

  /// Whether every index into the large images fits 32 bits.
  bool fits_32_bits() const { return 4 * elements <= INT32_MAX; }
};

/// The views that an entry declared for type T is compiled for.
template <typename T>
struct ViewsOfUpsampleNearest2x {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<UpsampleNearest2x<T, Forward>>();
    visitor.template operator()<UpsampleNearest2x<T, Backward>>();
  }
};

}  // namespace tally
