/// The last stage of the scan ladder (its story is in ladder.cu): decoupled look-back, one pass over the
/// array.
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

namespace tally {
namespace {

std::int64_t tiles_of(std::int64_t n, std::int64_t tile) { return (n + tile - 1) / tile; }

constexpr unsigned all_lanes = 0xffffffff;
constexpr int vectors_of_thread = 4;  // of 16 bytes

template <typename T>
constexpr int vector_size = 16 / static_cast<int>(sizeof(T));

template <typename T>
constexpr std::int64_t items_of_thread = vectors_of_thread* vector_size<T>;

/// What a tile lets its successors know.
enum TileState : unsigned { nothing_known = 0, sum_known = 1, prefix_known = 2 };

/// A state, and the value that it announces: the sum of a tile's own elements, or of all up to its last.
template <typename T>
struct Known {
  TileState state;
  T value;
};

/// Where tiles tell and ask. A value of four bytes goes into one word with its state, and whoever sees the
/// state has the value: the word is exchanged as a whole, and no fence is needed.
template <typename T, bool one_word = sizeof(T) == 4>
struct Tiles {
  using Word = unsigned long long;
  Word* words;
  unsigned* next;  ///< the number of the next tile to begin

  Tiles(Word* memory, std::int64_t, Scratch&)
      : words(memory + 1), next(reinterpret_cast<unsigned*>(memory)) {}

  __device__ void tell(std::int64_t tile, Known<T> known) const {
    unsigned bits;
    memcpy(&bits, &known.value, sizeof bits);
    atomicExch(words + tile, (static_cast<Word>(known.state) << 32) | bits);
  }

  __device__ Known<T> ask(std::int64_t tile) const {
    const Word word = static_cast<volatile Word*>(words)[tile];
    const auto bits = static_cast<unsigned>(word);
    Known<T> known{static_cast<TileState>(word >> 32), T(0)};
    memcpy(&known.value, &bits, sizeof bits);
    return known;
  }
};

/// A value of eight bytes is written before the state that announces it, and read after it.
template <typename T>
struct Tiles<T, false> {
  using Word = unsigned long long;
  volatile Word* states;
  T* sums;
  T* prefixes;
  unsigned* next;

  Tiles(Word* memory, std::int64_t count, Scratch& scratch)
      : states(memory + 1),
        sums(scratch.array<T>(count)),
        prefixes(scratch.array<T>(count)),
        next(reinterpret_cast<unsigned*>(memory)) {}

  __device__ void tell(std::int64_t tile, Known<T> known) const {
    (known.state == sum_known ? sums : prefixes)[tile] = known.value;
    __threadfence();
    states[tile] = known.state;
  }

  __device__ Known<T> ask(std::int64_t tile) const {
    const auto state = static_cast<TileState>(states[tile]);
    if (state == nothing_known) return {state, T(0)};
    __threadfence();
    return {state, __ldcg((state == sum_known ? sums : prefixes) + tile)};
  }
};

/// Inclusive prefix of the lanes' values.
template <typename T>
__device__ T scan_warp(T value) {
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const T left = __shfl_up_sync(all_lanes, value, distance);
    if (threadIdx.x % 32 >= distance) value = WrappingPlus<T>()(left, value);
  }
  return value;
}

/// The values of the lanes before this one; nothing before the first.
template <typename T>
__device__ T before_lane(T inclusive_prefix) {
  const T left = __shfl_up_sync(all_lanes, inclusive_prefix, 1);
  return threadIdx.x % 32 == 0 ? T(0) : left;
}

/// Everything before `tile`, found by a whole warp: 32 predecessors at a time, the nearest in lane 0, back to
/// the nearest that knows its prefix. Tiles are numbered as they begin, so each predecessor is running or
/// done, and will answer.
template <typename T>
__device__ T look_back(const Tiles<T>& tiles, unsigned tile) {
  const WrappingPlus<T> plus;
  const unsigned lane = threadIdx.x % 32;
  T prefix = 0;
  for (std::int64_t nearest = std::int64_t{tile} - 1; nearest >= 0; nearest -= 32) {
    const std::int64_t mine = nearest - lane;
    Known<T> known{prefix_known, T(0)};  // before the first tile there is nothing, and that is known
    do {
      if (mine >= 0) known = tiles.ask(mine);
    } while (__any_sync(all_lanes, known.state == nothing_known));
    const unsigned ends = __ballot_sync(all_lanes, known.state == prefix_known);
    const unsigned last = ends == 0 ? 31 : __ffs(static_cast<int>(ends)) - 1;
    T value = lane <= last ? known.value : T(0);
    for (int distance = 16; distance > 0; distance /= 2) {
      value = plus(__shfl_down_sync(all_lanes, value, distance), value);
    }
    prefix = plus(__shfl_sync(all_lanes, value, 0), prefix);
    if (ends != 0) break;
  }
  return prefix;
}

template <typename T>
__device__ void load_vector(T* items, const T* x, std::int64_t first, std::int64_t n) {
  constexpr int size = vector_size<T>;
  if (first + size <= n) {
    const uint4 vector = *reinterpret_cast<const uint4*>(x + first);
    memcpy(items, &vector, sizeof vector);
  } else {
    for (int k = 0; k < size; ++k) items[k] = first + k < n ? x[first + k] : T(0);
  }
}

template <typename T>
__device__ void store_vector(T* out, const T* items, std::int64_t first, std::int64_t n) {
  constexpr int size = vector_size<T>;
  if (first + size <= n) {
    uint4 vector;
    memcpy(static_cast<void*>(&vector), items, sizeof vector);
    *reinterpret_cast<uint4*>(out + first) = vector;
  } else {
    for (int k = 0; k < size; ++k) {
      if (first + k < n) out[first + k] = items[k];
    }
  }
}

/// A warp holds a contiguous part of the tile, in rows of 32 vectors: every row is scanned by shuffles and
/// what it adds up to is carried to the next.
template <typename T>
__global__ void decoupled_look_back(T* out, const T* x, std::int64_t n, bool inclusive, Tiles<T> tiles) {
  constexpr int size = vector_size<T>;
  const WrappingPlus<T> plus;
  __shared__ unsigned tile_of_block;
  __shared__ T before_warp[32];
  __shared__ T before_tile;
  if (threadIdx.x == 0) tile_of_block = atomicAdd(tiles.next, 1u);
  __syncthreads();
  const unsigned tile = tile_of_block;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const std::int64_t first_of_warp =
      (std::int64_t{tile} * blockDim.x + warp * 32) * items_of_thread<T> + std::int64_t{lane} * size;

  T items[vectors_of_thread][size];
  for (int row = 0; row < vectors_of_thread; ++row) {
    load_vector(items[row], x, first_of_warp + row * 32 * size, n);
  }
  T carried = 0;
  for (int row = 0; row < vectors_of_thread; ++row) {
    T sum = 0;
    for (int k = 0; k < size; ++k) {
      const T with_item = plus(sum, items[row][k]);
      items[row][k] = inclusive ? with_item : sum;
      sum = with_item;
    }
    const T up_to_lane = scan_warp(sum);
    const T before = plus(carried, before_lane(up_to_lane));
    for (int k = 0; k < size; ++k) items[row][k] = plus(before, items[row][k]);
    carried = plus(carried, __shfl_sync(all_lanes, up_to_lane, 31));
  }
  if (lane == 0) before_warp[warp] = carried;
  __syncthreads();

  if (warp == 0) {
    const T up_to_warp = scan_warp(lane < blockDim.x / 32 ? before_warp[lane] : T(0));
    const T total = __shfl_sync(all_lanes, up_to_warp, 31);
    before_warp[lane] = before_lane(up_to_warp);
    if (lane == 0) tiles.tell(tile, {tile == 0 ? prefix_known : sum_known, total});
    const T before = look_back(tiles, tile);
    if (lane == 0) {
      if (tile != 0) tiles.tell(tile, {prefix_known, plus(before, total)});
      before_tile = before;
    }
  }
  __syncthreads();
  const T before = plus(before_tile, before_warp[warp]);
  for (int row = 0; row < vectors_of_thread; ++row) {
    for (int k = 0; k < size; ++k) items[row][k] = plus(before, items[row][k]);
    store_vector(out, items[row], first_of_warp + row * 32 * size, n);
  }
}

std::int64_t items_of_thread_of(ScalarType type) {
  return vectors_of_thread * 16 / static_cast<std::int64_t>(size_of(type));
}

TALLY_VARIANT(Scan, ladder, decoupled_look_back)
    .follows("three_kernels")
    .lesson(
        "Blocks may wait for blocks that began before them. Each publishes its sum at once and its prefix as "
        "soon as it knows it, so the wait is short, and every element moves once.")
    .source("Merrill and Garland, Single-pass parallel prefix scan with decoupled look-back, 2016")
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {256, 128, 512}, both(rules::whole_warps, rules::block_size))
    .not_deterministic(
        "how far a tile looks back depends on how far its predecessors are, and the order of "
        "additions with it (integers do not care)")
    .additions([](const ProblemKey& key, const Tuning& t) {
      const std::int64_t tile = t["threads"] * items_of_thread_of(key.type);
      return 32 + static_cast<double>(tiles_of(key.n, tile));
    })
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto element = static_cast<double>(size_of(key.type));
      const double array = static_cast<double>(key.n) * element;
      const std::int64_t tiles = tiles_of(key.n, t["threads"] * items_of_thread_of(key.type));
      const double of_tile = 2 * (element == 4 ? 8 : 8 + element);
      return Cost{.bytes_read = array + static_cast<double>(tiles) * of_tile,
                  .bytes_written = array + static_cast<double>(tiles) * of_tile,
                  .partials = (element == 4 ? 1 : 3) * tiles};
    })
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch& scratch) {
      using Word = typename Tiles<T>::Word;
      const std::int64_t threads = t["threads"];
      const std::int64_t count = tiles_of(problem.n, threads * items_of_thread<T>);
      // What the tiles know and the number of the next one are reset together, in every call.
      Word* memory = scratch.array<Word>(count + 1);
      const Tiles<T> tiles(memory, count, scratch);
      return [=](Queue& q) {
        q.memset(memory, 0, static_cast<std::size_t>(count + 1) * sizeof(Word));
        q.launch(decoupled_look_back<T>, {count, threads}, problem.out, problem.x, problem.n,
                 problem.inclusive, tiles);
      };
    });

}  // namespace
}  // namespace tally
