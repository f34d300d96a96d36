#pragma once

#include "window.cuh"

/// A block's own sums of rows that are named again and again: shared memory takes their additions, and x one
/// addition a row when the block is done.
namespace tally_index_add {
namespace {

constexpr unsigned long long no_row = ~0ull;

/// A table by hash. Slots are claimed and never given back before the end.
template <typename T, int Vector>
class HotRows {
 public:
  using A = Accumulator<T>;

  static constexpr int most_slots = 512;
  static constexpr int cells = 16 * 1024 / static_cast<int>(sizeof(A));

  /// What it keeps, in shared memory.
  struct Storage {
    unsigned long long rows[most_slots];
    A sums[cells];
  };

  /// vectors: of a row, at most 32.
  __device__ HotRows(Storage* storage, int vectors)
      : rows_(storage->rows), sums_(storage->sums), vectors_(vectors), bits_(9) {
    while (vectors * Vector << bits_ > cells) --bits_;
  }

  /// All threads of the block.
  __device__ void clear() {
    for (int i = static_cast<int>(threadIdx.x); i < slots(); i += static_cast<int>(blockDim.x))
      rows_[i] = no_row;
    for (int i = static_cast<int>(threadIdx.x); i < slots() * vectors_ * Vector;
         i += static_cast<int>(blockDim.x)) {
      sums_[i] = 0;
    }
    __syncthreads();
  }

  /// Adds to a vector of the row's sums; false, and nothing added, where there is no slot for the row.
  __device__ bool add(std::int64_t row, int vector, const Sums<T, Vector>& sums) {
    const auto wanted = static_cast<unsigned long long>(row);
    const unsigned first = hash_of(row) >> (32 - bits_);
#pragma unroll
    for (unsigned probe = 0; probe < 2; ++probe) {
      const unsigned slot = first ^ probe;
      unsigned long long found = look(rows_ + slot);
      if (found == no_row) found = atomicCAS(rows_ + slot, no_row, wanted);
      if (found != wanted && found != no_row) continue;
#pragma unroll
      for (int k = 0; k < Vector; ++k) atomicAdd(cell(static_cast<int>(slot), vector, k), sums.of[k]);
      return true;
    }
    return false;
  }

  /// Adds the sums to the rows of `x`, `width` elements apart. All threads of the block.
  __device__ void flush(T* x, std::int64_t width) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < slots() * vectors_; i += static_cast<int>(blockDim.x)) {
      const int slot = i / vectors_;
      const int vector = i - slot * vectors_;
      if (rows_[slot] == no_row) continue;
      Sums<T, Vector> sums;
#pragma unroll
      for (int k = 0; k < Vector; ++k) sums.of[k] = *cell(slot, vector, k);
      add_atomically(x + static_cast<std::int64_t>(rows_[slot]) * width + vector * Vector, sums);
    }
    __syncthreads();
  }

 private:
  __device__ int slots() const { return 1 << bits_; }

  /// Neighbouring lanes have neighbouring vectors: the k-th elements of a row's vectors lie together.
  __device__ A* cell(int slot, int vector, int k) const {
    return sums_ + (slot * Vector + k) * vectors_ + vector;
  }

  /// The row in a slot, while others may claim it. Atomics of lanes that look at one slot would wait for one
  /// another; an aligned read is as good.
  __device__ static unsigned long long look(unsigned long long* slot) {
#if defined(__CUDA_ARCH__)
    return *static_cast<volatile unsigned long long*>(slot);
#else
    return atomicCAS(slot, no_row, no_row);  // the CPU executor takes the read for a race
#endif
  }

  unsigned long long* rows_;
  A* sums_;
  int vectors_;
  int bits_;
};

}  // namespace
}  // namespace tally_index_add
