#pragma once

#include <cstdint>

/// The kernels by shape, and which of them gets a convolution. Plain C++, so that it is tested without a GPU.
namespace tally_convolve {

/// A shape of the direct kernel: `words` 16-byte words of neighbouring outputs a thread (an odd number),
/// `lanes` threads that have a tile of outputs, and `groups` of them, each with its own part of the taps.
struct Direct {
  int words;
  int lanes;
  int groups = 1;

  constexpr bool operator==(const Direct&) const = default;
  constexpr int threads() const { return lanes * groups; }
  /// Outputs of a block, for elements of so many bytes.
  constexpr int tile(int element) const { return lanes * words * (16 / element); }
  /// Blocks that a multiprocessor's 65,536 registers are to hold: a thread has its sums, its window and what
  /// is on its way, which is more where each block has many taps at a time, or a thread many words.
  constexpr int blocks_of_multiprocessor() const {
    return 65536 / (threads() * (8 * words + (groups == 1 && words < 7 ? 40 : 64)));
  }
  /// Words of taps that a group takes between two barriers: whole turns of its window. Few, so that many
  /// blocks fit; with several groups many, since there are few blocks and each load's latency shows.
  constexpr int steps_of_block() const {
    const int steps = groups == 1 ? 128 : groups < 4 ? 256 : 1024 / groups;
    return steps / (words + 1) * (words + 1);
  }
};

/// Of tuned.h: the direct kernel's shape for up to so many outputs and taps. Rows rise by outputs, then taps.
struct Row {
  std::int64_t most_outputs;
  std::int64_t most_taps;
  Direct shape;
};

/// Of tuned.h: for up to so many outputs, overlap-save is faster from so many taps on.
struct Crossover {
  std::int64_t most_outputs;
  std::int64_t taps;
};

/// Elements of one Fourier transform.
inline constexpr int length = 4096;
inline constexpr int threads_of_transform = 256;

/// How taps are cut for overlap-save: `partitions` of `taps_of_each`, whose spectra are summed up before the
/// way back; each tile of `length` elements of the signal gives `valid` outputs.
struct Partitioning {
  int taps_of_each;
  int partitions;
  int valid;
};

/// Taps cut into so many partitions, each of at most length / 2. `valid` is a multiple of 32, so that tiles
/// begin at whole sectors.
constexpr Partitioning partitioning(std::int64_t taps, std::int64_t partitions) {
  const auto each = static_cast<int>((taps + partitions - 1) / partitions);
  return {each, static_cast<int>(partitions), (length - each + 1) / 32 * 32};
}

/// The partitioning with the least transforms an output: (partitions + 1) / valid.
constexpr Partitioning partitioning_of(std::int64_t taps) {
  const std::int64_t least = (taps + length / 2 - 1) / (length / 2);
  Partitioning best = partitioning(taps, least);
  for (std::int64_t partitions = least + 1; partitions <= 2 * least; ++partitions) {
    const Partitioning cut = partitioning(taps, partitions);
    if ((partitions + 1) * best.valid < (std::int64_t{best.partitions} + 1) * cut.valid) best = cut;
  }
  return best;
}

/// Blocks of overlap-save: each has two tiles, one as the real, one as the imaginary part.
constexpr std::int64_t blocks_of(const Partitioning& cut, std::int64_t outputs) {
  return (outputs + 2 * cut.valid - 1) / (2 * cut.valid);
}

}  // namespace tally_convolve
