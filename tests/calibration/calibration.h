#pragma once

#include <cstdint>
#include <string>

#include "harness/problems/problem.h"

/// Family `calibration`, of the tests alone: what the ceilings measure, put to the harness as any problem is.
/// Its rows must say what the ceilings say, or one of the two is wrong.
///
///   nothing  no work at all: the launch floor
///   read     n int32 are read, and added up modulo 2^32 into partial sums: read bandwidth
///   copy     n int32 are copied: copy bandwidth
namespace tally {

inline constexpr const char* name_of_Calibration = "calibration";

/// Sums that `read` may leave, one a warp; those that it does not need are zero.
inline constexpr std::int64_t calibration_sums = 1 << 16;

struct Nothing {
  static constexpr const char* name = "nothing";
};
struct Read {
  static constexpr const char* name = "read";
};
struct Copy {
  static constexpr const char* name = "copy";
};

/// What an entry is given: x of n elements; out of n elements for Copy, of calibration_sums for Read.
template <typename T, typename Work>
struct Calibration {
  using Value = T;
  const T* x;
  T* out;
  std::int64_t n;

  static bool serves(const Problem& problem) { return problem.key().text("work") == Work::name; }
  static Calibration bind(const Problem& problem, const Buffers& buffers) {
    return {buffers.array<const T>(0), buffers.arrays.size() > 1 ? buffers.array<T>(1) : nullptr,
            problem.key().n};
  }
};

template <typename T>
struct ViewsOfCalibration {
  template <typename Visitor>
  static void visit(Visitor visitor) {
    visitor.template operator()<Calibration<T, Nothing>>();
    visitor.template operator()<Calibration<T, Read>>();
    visitor.template operator()<Calibration<T, Copy>>();
  }
};

}  // namespace tally
