#pragma once

#include "window.cuh"

/// A block's own sums of rows that are named again and again: shared memory takes their additions, and x one
/// addition a row when the block is done.
namespace tally_index_add {
namespace {

constexpr int widest_hot_row = 32;
constexpr unsigned long long no_row = ~0ull;

/// A table by hash. Slots are claimed and never given back before the end.
template <typename T>
class HotRows {
 public:
  using A = Accumulator<T>;

  static constexpr int most_slots = 1024;
  static constexpr int cells = 2048;
  static_assert(cells / widest_hot_row >= 64);

  /// What it keeps, in shared memory.
  struct Storage {
    unsigned long long rows[most_slots];
    A sums[cells];
  };

  /// width: of a row, at most widest_hot_row.
  __device__ HotRows(Storage* storage, int width)
      : rows_(storage->rows), sums_(storage->sums), width_(width) {
    bits_ = 10;
    while (width << bits_ > cells) --bits_;
  }

  /// All threads of the block.
  __device__ void clear() {
    for (int i = static_cast<int>(threadIdx.x); i < slots(); i += static_cast<int>(blockDim.x))
      rows_[i] = no_row;
    for (int i = static_cast<int>(threadIdx.x); i < slots() * width_; i += static_cast<int>(blockDim.x)) {
      sums_[i] = 0;
    }
    __syncthreads();
  }

  /// Adds to the row's sums from `column` on; false, and nothing added, where there is no slot for the row.
  template <int Vector>
  __device__ bool add(std::int64_t row, int column, const Sums<T, Vector>& sums) {
    const auto wanted = static_cast<unsigned long long>(row);
    const unsigned first = hash_of(row) >> (32 - bits_);
#pragma unroll
    for (unsigned probe = 0; probe < 2; ++probe) {
      const unsigned slot = first ^ probe;
      const unsigned long long found = atomicCAS(rows_ + slot, no_row, wanted);
      if (found != wanted && found != no_row) continue;
#pragma unroll
      for (int k = 0; k < Vector; ++k) {
        atomicAdd(sums_ + static_cast<int>(slot) * width_ + column + k, sums.of[k]);
      }
      return true;
    }
    return false;
  }

  /// Adds the sums to x. All threads of the block.
  __device__ void flush(T* x) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < slots() * width_; i += static_cast<int>(blockDim.x)) {
      const int slot = i / width_;
      if (rows_[slot] == no_row) continue;
      atomicAdd(x + static_cast<std::int64_t>(rows_[slot]) * width_ + (i - slot * width_),
                static_cast<T>(sums_[i]));
    }
    __syncthreads();
  }

 private:
  __device__ int slots() const { return 1 << bits_; }

  unsigned long long* rows_;
  A* sums_;
  int width_;
  int bits_;
};

/// Whether a sample of a block's indices, one of each thread, names few rows: a quarter of it repeats others.
/// All threads of the block; `present`: the thread has an index. Different rows that share a bit are few.
struct Sample {
  static constexpr int bits = 4096;
  unsigned words[bits / 32];

  template <typename Index>
  __device__ bool repeats(Index row, bool present) {
    for (int i = static_cast<int>(threadIdx.x); i < bits / 32; i += static_cast<int>(blockDim.x))
      words[i] = 0;
    __syncthreads();
    const unsigned bit = hash_of(row) >> 20;
    const unsigned mask = 1u << (bit % 32);
    // Lanes of one warp that name one row would wait for one another.
    const bool first = (lanes_with_same(row) & ((1u << lane_of_warp()) - 1)) == 0;
    const bool seen = present && (!first || (atomicOr(words + bit / 32, mask) & mask) != 0);
    return 4 * __syncthreads_count(seen) >= __syncthreads_count(present);
  }
};

}  // namespace
}  // namespace tally_index_add
