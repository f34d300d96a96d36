/// Prefix sums, from one block to one pass.
///
///   hillis_steele        every thread adds its left neighbour at distance 1, 2, 4, …: log2(n) steps,
///   n·log2(n)
///                        additions, one block
///   blelloch             a tree of sums and a tree of prefixes: 2n additions, one block
///   blelloch_padded      the same with a gap after every 32 cells, so that hardly any lanes share a bank
///   three_kernels        tiles are scanned, then their sums, then each tile is raised by its prefix: any n,
///   and
///                        every element moves twice in both directions
///   decoupled_look_back  one pass: a tile publishes its sum, looks back over its predecessors' until it
///   knows
///                        its prefix, and publishes that; every element moves once in and once out
///
/// The last is in ladder_look_back.cu. The plain algorithm stands in harness/problems/scan.h.
#include <algorithm>
#include <cmath>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/scan.h"

namespace tally {
namespace {

double log2_of(std::int64_t n) { return std::ceil(std::log2(static_cast<double>(n))); }

Cost cost_of_one_block(const ProblemKey& key, const Tuning&) {
  const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  return {.bytes_read = array, .bytes_written = array};
}

// ------------------------------------------------------------------------------------- hillis_steele

/// One block of at least n threads. Two rows of shared memory, since a step reads what its neighbours would
/// already have written over.
template <typename T>
__global__ void hillis_steele(T* out, const T* x, std::int64_t n, bool inclusive) {
  const WrappingPlus<T> plus;
  T* row = dynamic_shared<T>();
  T* other_row = row + blockDim.x;
  const unsigned id = threadIdx.x;
  row[id] = id < n ? x[id] : T(0);
  __syncthreads();
  for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
    other_row[id] = id >= distance ? plus(row[id - distance], row[id]) : row[id];
    T* const written = other_row;
    other_row = row;
    row = written;
    __syncthreads();
  }
  if (id < n) out[id] = inclusive ? row[id] : id > 0 ? row[id - 1] : T(0);
}

TALLY_VARIANT(Scan, ladder, hillis_steele)
    .lesson(
        "log2(n) steps in which every thread works: the shortest chain there is, for n·log2(n) additions. "
        "One block, so that a barrier can stand between the steps.")
    .source("Hillis and Steele, Data parallel algorithms, 1986")
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {1024, 256, 32}, rules::block_size)
    .needs("needs n of at most its threads",
           [](const ProblemKey& key, const Tuning& t) { return key.n <= t["threads"]; })
    .additions([](const ProblemKey&, const Tuning& t) { return log2_of(t["threads"]); })
    .cost(cost_of_one_block)
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(hillis_steele<T>, {1, threads, 2 * threads * std::int64_t{sizeof(T)}}, problem.out,
                 problem.x, problem.n, problem.inclusive);
      };
    });

// ------------------------------------------------------------------------------------------ blelloch

/// Cell i is where it is: in the tree's lower levels up to 32 lanes meet in one bank.
struct Dense {
  __device__ static unsigned cell(unsigned i) { return i; }
};

/// A cell is left empty after every 32.
struct Padded {
  __device__ static unsigned cell(unsigned i) { return i + i / 32; }
};

constexpr std::int64_t padded_cells(std::int64_t cells) { return cells + cells / 32; }

/// Scans 2·blockDim.x cells in place, exclusively, and returns their sum to every thread. blockDim.x is a
/// power of two; the cells are filled and the block has met.
template <typename Layout, typename T>
__device__ T scan_cells(T* cells) {
  const WrappingPlus<T> plus;
  const unsigned id = threadIdx.x;
  const unsigned count = 2 * blockDim.x;
  unsigned offset = 1;
  for (unsigned pairs = count / 2; pairs > 0; pairs /= 2) {
    if (id < pairs) {
      const unsigned left = Layout::cell(offset * (2 * id + 1) - 1);
      const unsigned right = Layout::cell(offset * (2 * id + 2) - 1);
      cells[right] = plus(cells[left], cells[right]);
    }
    offset *= 2;
    __syncthreads();
  }
  const T total = cells[Layout::cell(count - 1)];
  __syncthreads();
  if (id == 0) cells[Layout::cell(count - 1)] = T(0);
  __syncthreads();
  for (unsigned pairs = 1; pairs < count; pairs *= 2) {
    offset /= 2;
    if (id < pairs) {
      const unsigned left = Layout::cell(offset * (2 * id + 1) - 1);
      const unsigned right = Layout::cell(offset * (2 * id + 2) - 1);
      const T sum_of_left = cells[left];
      cells[left] = cells[right];
      cells[right] = plus(cells[right], sum_of_left);
    }
    __syncthreads();
  }
  return total;
}

/// Scans the tile of 2·blockDim.x elements that begins at `first`, of which `count` exist; returns its sum.
/// The dense layout takes neighbours, as Blelloch's tree has them; the padded one takes one element from each
/// half, so that the loads, too, are free of conflicts.
template <typename Layout, bool neighbours, typename T>
__device__ T scan_tile(T* out, const T* x, std::int64_t count, T before, bool inclusive) {
  const WrappingPlus<T> plus;
  T* cells = dynamic_shared<T>();
  const unsigned a = neighbours ? 2 * threadIdx.x : threadIdx.x;
  const unsigned b = neighbours ? a + 1 : a + blockDim.x;
  const T x_a = a < count ? x[a] : T(0);
  const T x_b = b < count ? x[b] : T(0);
  cells[Layout::cell(a)] = x_a;
  cells[Layout::cell(b)] = x_b;
  __syncthreads();
  const T total = scan_cells<Layout>(cells);
  const T prefix_a = plus(before, cells[Layout::cell(a)]);
  const T prefix_b = plus(before, cells[Layout::cell(b)]);
  if (a < count) out[a] = inclusive ? plus(prefix_a, x_a) : prefix_a;
  if (b < count) out[b] = inclusive ? plus(prefix_b, x_b) : prefix_b;
  return total;
}

template <typename T>
__global__ void blelloch(T* out, const T* x, std::int64_t n, bool inclusive) {
  scan_tile<Dense, true>(out, x, n, T(0), inclusive);
}

bool fits_one_tile(const ProblemKey& key, const Tuning& t) { return key.n <= 2 * t["threads"]; }

double additions_of_one_tile(const ProblemKey&, const Tuning& t) { return 2 * log2_of(2 * t["threads"]) + 2; }

TALLY_VARIANT(Scan, ladder, blelloch)
    .follows("hillis_steele")
    .lesson(
        "Sums up a tree and prefixes down it: 2n additions in place of n·log2(n), in twice the steps. Its "
        "strides of 2, 4, 8, … cells send more and more lanes to the same bank.")
    .source("Blelloch, Prefix sums and their applications, 1990")
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {1024, 256, 32}, both(rules::power_of_two, rules::block_size))
    .needs("needs n of at most twice its threads", fits_one_tile)
    .additions(additions_of_one_tile)
    .cost(cost_of_one_block)
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(blelloch<T>, {1, threads, 2 * threads * std::int64_t{sizeof(T)}}, problem.out, problem.x,
                 problem.n, problem.inclusive);
      };
    });

// ----------------------------------------------------------------------------------- blelloch_padded

template <typename T>
__global__ void blelloch_padded(T* out, const T* x, std::int64_t n, bool inclusive) {
  scan_tile<Padded, false>(out, x, n, T(0), inclusive);
}

template <typename T>
std::int64_t padded_tile_bytes(std::int64_t threads) {
  return padded_cells(2 * threads) * std::int64_t{sizeof(T)};
}

TALLY_VARIANT(Scan, ladder, blelloch_padded)
    .follows("blelloch")
    .lesson(
        "One empty cell after every 32: strides of up to 32 cells visit all banks, and from 64 on at most two lanes "
        "meet in one, where up to 32 did.")
    .source("Harris, Sengupta and Owens, Parallel prefix sum (scan) with CUDA, GPU Gems 3, 2007")
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {1024, 256, 32}, both(rules::power_of_two, rules::block_size))
    .needs("needs n of at most twice its threads", fits_one_tile)
    .additions(additions_of_one_tile)
    .cost(cost_of_one_block)
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        q.launch(blelloch_padded<T>, {1, threads, padded_tile_bytes<T>(threads)}, problem.out, problem.x,
                 problem.n, problem.inclusive);
      };
    });

// ------------------------------------------------------------------------------------- three_kernels

template <typename T>
__global__ void scan_tiles(T* out, T* sums, const T* x, std::int64_t n, bool inclusive) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * 2 * blockDim.x;
  const T total = scan_tile<Padded, false>(out + first, x + first, n - first, T(0), inclusive);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// One block, tile after tile, with what came before carried along: in place, exclusive.
template <typename T>
__global__ void scan_sums(T* sums, std::int64_t count) {
  T before = 0;
  for (std::int64_t first = 0; first < count; first += 2 * blockDim.x) {
    const T total = scan_tile<Padded, false>(sums + first, sums + first, count - first, before, false);
    before = WrappingPlus<T>()(before, total);
    __syncthreads();
  }
}

template <typename T>
__global__ void raise_tiles(T* out, const T* prefixes, std::int64_t n) {
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * 2 * blockDim.x + threadIdx.x;
  const T prefix = prefixes[blockIdx.x];
  for (std::int64_t i = first; i < min(n, first + 2 * blockDim.x); i += blockDim.x) {
    out[i] = WrappingPlus<T>()(prefix, out[i]);
  }
}

std::int64_t tiles_of(std::int64_t n, std::int64_t tile) { return (n + tile - 1) / tile; }

TALLY_VARIANT(Scan, ladder, three_kernels)
    .follows("blelloch_padded")
    .lesson(
        "Blocks cannot wait for one another, so the launches do: tiles, sums of tiles, and once more over "
        "everything. Four times the array's bytes move, twice what must.")
    .source("Harris, Sengupta and Owens, Parallel prefix sum (scan) with CUDA, GPU Gems 3, 2007")
    .types<float, double, std::int32_t, std::int64_t>()
    .tunable("threads", {512, 256, 1024}, both(rules::power_of_two, rules::block_size))
    .additions([](const ProblemKey& key, const Tuning& t) {
      const std::int64_t tiles = tiles_of(key.n, 2 * t["threads"]);
      return 4 * log2_of(2 * t["threads"]) + 4 + static_cast<double>(tiles_of(tiles, 2 * t["threads"]));
    })
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto element = static_cast<double>(size_of(key.type));
      const std::int64_t tiles = tiles_of(key.n, 2 * t["threads"]);
      // Every thread of the last launch reads the prefix of its tile.
      const double read = 2 * static_cast<double>(key.n) + static_cast<double>(tiles * (1 + t["threads"]));
      const double written = 2 * static_cast<double>(key.n) + 2 * static_cast<double>(tiles);
      return Cost{
          .bytes_read = read * element, .bytes_written = written * element, .launches = 3, .partials = tiles};
    })
    .prepare([]<typename T>(Scan<T> problem, const Tuning& t, Scratch& scratch) {
      const std::int64_t threads = t["threads"];
      const std::int64_t tiles = tiles_of(problem.n, 2 * threads);
      const std::int64_t bytes = padded_tile_bytes<T>(threads);
      T* sums = scratch.array<T>(tiles);
      return [=](Queue& q) {
        q.launch(scan_tiles<T>, {tiles, threads, bytes}, problem.out, sums, problem.x, problem.n,
                 problem.inclusive);
        q.launch(scan_sums<T>, {1, threads, bytes}, sums, tiles);
        q.launch(raise_tiles<T>, {tiles, threads}, problem.out, sums, problem.n);
      };
    });

}  // namespace
}  // namespace tally
