/// Our own scans, one idea at a time, in CUDA C++ that every GPU runs and the CPU executor too. What needs a
/// Hopper GPU (tagged slots, bulk copies, programmatic launches), and the choice between all of them, follows
/// in hopper_cuda.cu.
///
///   one_block        a small array: one block, one launch, nobody to wait for
///   fixed_look_back  sums of the last tiles and the prefix before those: what a tile adds up depends on its
///                    number alone, so that the bits are the same every time
///
/// The floor: 2 · bytes / copy ceiling, and an empty launch for what is left when there are no bytes.
/// README.md beside this file has the figures of each regime.
#include <cmath>
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

namespace tally {
namespace {

constexpr unsigned all_lanes = 0xffffffffu;
constexpr int lanes = 32;
constexpr const char* own = "Tally's own";

template <typename T>
constexpr int vector_size = 16 / static_cast<int>(sizeof(T));

/// Sums of the lanes up to each.
template <typename T>
__device__ T prefix_in_warp(T value) {
  for (unsigned distance = 1; distance < lanes; distance *= 2) {
    const T left = __shfl_up_sync(all_lanes, value, distance);
    if (threadIdx.x % lanes >= distance) value = WrappingPlus<T>()(left, value);
  }
  return value;
}

/// The left neighbour's value; nothing for the first lane.
template <typename T>
__device__ T of_left_lane(T value) {
  const T left = __shfl_up_sync(all_lanes, value, 1);
  return threadIdx.x % lanes == 0 ? T(0) : left;
}

/// Every lane has the sum, of the same association.
template <typename T>
__device__ T sum_of_warp(T value) {
  for (int distance = lanes / 2; distance > 0; distance /= 2) {
    value = WrappingPlus<T>()(value, __shfl_xor_sync(all_lanes, value, distance));
  }
  return value;
}

/// A warp's contiguous part of the array, in rows of 32 vectors of 16 bytes, in registers.
template <typename T, int rows>
struct Part {
  static constexpr int size = vector_size<T>;
  static constexpr int elements = rows * lanes * size;
  T items[rows][size];

  /// `first` is the part's first element, `n` the array's end. What lies behind that is 0.
  __device__ void load(const T* x, std::int64_t first, std::int64_t n) {
    for (int row = 0; row < rows; ++row) {
      const std::int64_t at = first + (row * lanes + threadIdx.x % lanes) * size;
      if (at + size <= n) {
        const uint4 vector = *reinterpret_cast<const uint4*>(x + at);
        memcpy(static_cast<void*>(items[row]), &vector, sizeof vector);
      } else {
        for (int k = 0; k < size; ++k) items[row][k] = at + k < n ? x[at + k] : T(0);
      }
    }
  }

  __device__ void store(T* out, std::int64_t first, std::int64_t n) const {
    for (int row = 0; row < rows; ++row) {
      const std::int64_t at = first + (row * lanes + threadIdx.x % lanes) * size;
      if (at + size <= n) {
        uint4 vector;
        memcpy(static_cast<void*>(&vector), items[row], sizeof vector);
        *reinterpret_cast<uint4*>(out + at) = vector;
      } else {
        for (int k = 0; k < size; ++k) {
          if (at + k < n) out[at + k] = items[row][k];
        }
      }
    }
  }

  /// Replaces the items by their prefixes within the part; every lane gets the part's sum.
  __device__ T scan(bool inclusive) {
    const WrappingPlus<T> plus;
    T carried = 0;
    for (int row = 0; row < rows; ++row) {
      T sum = 0;
      for (int k = 0; k < size; ++k) {
        const T with_item = plus(sum, items[row][k]);
        items[row][k] = inclusive ? with_item : sum;
        sum = with_item;
      }
      const T up_to_lane = prefix_in_warp(sum);
      const T before = plus(carried, of_left_lane(up_to_lane));
      for (int k = 0; k < size; ++k) items[row][k] = plus(before, items[row][k]);
      carried = plus(carried, __shfl_sync(all_lanes, up_to_lane, lanes - 1));
    }
    return carried;
  }

  __device__ void raise(T before) {
    for (int row = 0; row < rows; ++row) {
      for (int k = 0; k < size; ++k) items[row][k] = WrappingPlus<T>()(before, items[row][k]);
    }
  }
};

/// Vectors of a thread, in both kernels.
constexpr int rows_of_part = 4;

constexpr std::int64_t tile_of(std::int64_t threads, std::size_t element) {
  return threads * rows_of_part * (16 / static_cast<std::int64_t>(element));
}

double log2_of(double n) { return std::ceil(std::log2(n)); }

/// Within a thread, along its rows, over a warp and over the block's warps.
double additions_of_tile(const ProblemKey& key) {
  return 16.0 / static_cast<double>(size_of(key.type)) + rows_of_part + 3 * log2_of(lanes) + 4;
}

// ----------------------------------------------------------------------------------------- one_block

template <typename T>
__global__ void one_block(T* out, const T* x, std::int64_t n, bool inclusive) {
  __shared__ T of_warp[lanes];
  const unsigned lane = threadIdx.x % lanes;
  const unsigned warp = threadIdx.x / lanes;
  Part<T, rows_of_part> part;
  const std::int64_t first = std::int64_t{warp} * part.elements;
  part.load(x, first, n);
  const T sum = part.scan(inclusive);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  part.raise(sum_of_warp(lane < warp ? of_warp[lane] : T(0)));
  part.store(out, first, n);
}

TALLY_VARIANT(Scan, hopper, one_block)
    .lesson(
        "Up to 64 KB are done before blocks could have told one another anything: one launch, one trip to memory, "
        "one meeting. Every warp adds up the sums of the warps before it for itself, in place of one that does it "
        "for all and a second meeting.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {1024, 256, 512}, both(rules::whole_warps, rules::block_size))
    .needs("needs at most 64 bytes of each thread",
           [](const ProblemKey& key, const Tuning& t) {
             return key.n <= tile_of(t["threads"], size_of(key.type));
           })
    .additions([](const ProblemKey& key, const Tuning&) { return additions_of_tile(key); })
    .cost([](const ProblemKey& key, const Tuning&) {
      const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
      return Cost{.bytes_read = array, .bytes_written = array};
    })
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(one_block<T>, {1, threads}, problem.out, problem.x, problem.n, problem.inclusive);
      };
    });

// ----------------------------------------------------------------------------------- fixed_look_back

/// Values that tiles tell one another. Each word has 32 bits of a value and a mark that it is there, and is
/// exchanged as a whole, so that a value of eight bytes needs no fence either: its two words prove
/// themselves.
template <typename T>
struct Told {
  using Word = unsigned long long;
  static constexpr int words_of_value = sizeof(T) / 4;
  static constexpr Word mark = Word{1} << 32;
  Word* words;

  __device__ void tell(std::int64_t index, T value) const {
    unsigned bits[words_of_value];
    memcpy(static_cast<void*>(bits), &value, sizeof value);
    for (int k = 0; k < words_of_value; ++k) atomicExch(words + index * words_of_value + k, mark | bits[k]);
  }

  __device__ T wait(std::int64_t index) const {
    unsigned bits[words_of_value];
    for (int k = 0; k < words_of_value; ++k) {
      Word word = 0;
      while ((word & mark) == 0) word = static_cast<volatile Word*>(words)[index * words_of_value + k];
      bits[k] = static_cast<unsigned>(word);
    }
    T value;
    memcpy(static_cast<void*>(&value), bits, sizeof value);
    return value;
  }
};

constexpr int tiles_of_group = lanes;

/// What tiles tell one another, and the number of the next tile to begin.
template <typename T>
struct Board {
  unsigned* next;
  Told<T> tiles;     ///< a tile's sum
  Told<T> prefixes;  ///< what comes before a group of tiles

  static std::int64_t words(std::int64_t tiles) {
    return 1 + (tiles + tiles / tiles_of_group + 1) * Told<T>::words_of_value;
  }
  Board(unsigned long long* memory, std::int64_t count)
      : next(reinterpret_cast<unsigned*>(memory)),
        tiles{memory + 1},
        prefixes{memory + 1 + count * Told<T>::words_of_value} {}
};

/// What comes before `tile`, found by a whole warp: the sums of the tiles before it in its group and in the
/// group before that, and the prefix of the latter.
template <typename T>
__device__ T look_back(const Board<T>& board, std::int64_t tile, T total) {
  const WrappingPlus<T> plus;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const std::int64_t group = tile / tiles_of_group;
  const std::int64_t first = group > 0 ? (group - 1) * tiles_of_group : 0;
  if (lane == 0) board.tiles.tell(tile, total);
  T sum = 0;
  for (int index = lane; index < 2 * tiles_of_group; index += lanes) {
    if (first + index < tile) sum = plus(sum, board.tiles.wait(first + index));
  }
  // The last lane has a place to spare: no tile comes after all of two groups.
  if (lane == lanes - 1 && group > 1) sum = plus(sum, board.prefixes.wait(group - 1));
  const T before = sum_of_warp(sum);
  const bool ends_group = tile % tiles_of_group == tiles_of_group - 1;
  if (lane == 0 && ends_group) board.prefixes.tell(group + 1, plus(before, total));
  return before;
}

template <typename T>
__global__ void fixed_look_back(T* out, const T* x, std::int64_t n, bool inclusive, Board<T> board) {
  __shared__ unsigned tile_of_block;
  __shared__ T before_warp[lanes];
  if (threadIdx.x == 0) tile_of_block = atomicAdd(board.next, 1u);
  __syncthreads();
  const unsigned lane = threadIdx.x % lanes;
  const unsigned warp = threadIdx.x / lanes;
  Part<T, rows_of_part> part;
  const std::int64_t first =
      (std::int64_t{tile_of_block} * (blockDim.x / lanes) + warp) * std::int64_t{part.elements};
  part.load(x, first, n);
  const T sum = part.scan(inclusive);
  if (lane == 0) before_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const T up_to_warp = prefix_in_warp(lane < blockDim.x / lanes ? before_warp[lane] : T(0));
    const T total = __shfl_sync(all_lanes, up_to_warp, lanes - 1);
    const T left = of_left_lane(up_to_warp);
    before_warp[lane] = WrappingPlus<T>()(look_back(board, tile_of_block, total), left);
  }
  __syncthreads();
  part.raise(before_warp[warp]);
  part.store(out, first, n);
}

std::int64_t tiles_of(std::int64_t n, std::int64_t tile) { return (n + tile - 1) / tile; }

std::int64_t tiles_of(const ProblemKey& key, const Tuning& t) {
  return tiles_of(key.n, tile_of(t["threads"], size_of(key.type)));
}

TALLY_VARIANT(Scan, hopper, fixed_look_back)
    .follows("one_block")
    .lesson(
        "Decoupled look-back reads whatever its predecessors have come to, and further back the more of them are "
        "under way. Here every tile adds up the sums of one group of tiles and a part, asked for at once, and a "
        "prefix that was told a group ago: one trip between a tile's sum and all who need it, and an order of "
        "additions that follows from the tile's number. Deterministic; as plain as this it takes 10 to 46 % longer from "
        "2^20 on (H200), which the next two ideas win back.")
    .source(own)
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, both(rules::whole_warps, rules::block_size))
    .additions([](const ProblemKey& key, const Tuning& t) {
      const auto groups = static_cast<double>(tiles_of(key, t) / tiles_of_group);
      return additions_of_tile(key) + log2_of(lanes) + 4 + groups / 2 * (log2_of(lanes) + 3);
    })
    .cost([](const ProblemKey& key, const Tuning& t) {
      const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
      const auto tiles = static_cast<double>(tiles_of(key, t));
      const double told = 2 * static_cast<double>(size_of(key.type));  // a value's words
      // A tile reads one and a half groups' sums; all words are cleared before.
      return Cost{.bytes_read = array + tiles * told * 1.5 * tiles_of_group,
                  .bytes_written = array + tiles * told * 2,
                  .partials = tiles_of(key, t)};
    })
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch& scratch) {
      const std::int64_t threads = t["threads"];
      const std::int64_t count = tiles_of(problem.n, tile_of(threads, sizeof(T)));
      const std::int64_t words = Board<T>::words(count);
      auto* memory = scratch.array<unsigned long long>(words);
      const Board<T> board(memory, count);
      return [=](Queue& q) {
        q.memset(memory, 0, static_cast<std::size_t>(words) * sizeof *memory);
        q.launch(fixed_look_back<T>, {count, threads}, problem.out, problem.x, problem.n, problem.inclusive,
                 board);
      };
    });

}  // namespace
}  // namespace tally
