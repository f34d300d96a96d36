/// Our own convolutions, one idea at a time: the direct way, tap by tap; the way through Fourier transforms;
/// and the choice between the two.
///
///   register_blocked  several outputs a thread: what is loaded once is multiplied many times
///   tiled_taps        signal and taps through shared memory, 16 bytes a load, any number of taps
///   split_taps        for short signals: the warps of a block share its outputs and divide its taps
///   best_direct       the best shape of these by n and taps: each output off by its own roundings only
///   overlap_save      Fourier transforms of tiles, there, multiplied and back within one block
///   partitioned_taps  taps in parts whose spectra are summed up: any number of taps by the same transform
///   best              direct or through spectra, from the table that measurements made (best/tuned.h)
///
/// The floor: bytes / copy ceiling, or n · taps / (128 multiplications a clock and multiprocessor), whichever
/// is longer. README.md beside this file has the figures of each regime.
#include <algorithm>
#include <cmath>
#include <functional>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/check.h"
#include "harness/problems/convolve.h"
#include "variants/convolve/best/dispatch.cuh"

#if defined(__CUDACC__)
#include "variants/convolve/best.cuh"
#endif

namespace tally {
namespace {

using tally_convolve::Direct;
using tally_convolve::Partitioning;
using tally_convolve::detail::Arrays;
using tally_convolve::detail::Complex;

constexpr const char* own = "Tally's own";

double a_tap_after_the_other(const ProblemKey& key, const Tuning&) {
  return static_cast<double>(std::min(key.n, key.integer("taps")));
}

std::int64_t outputs_of(const ProblemKey& key) { return key.n + key.integer("taps") - 1; }

// ---------------------------------------------------------------------------------- register_blocked

/// Output r of a thread is that of t + r · blockDim: neighbouring lanes read neighbouring elements, at every
/// tap. Which of them exist is asked once a thread where it can be.
template <typename T, int Outputs>
__global__ void register_blocked(T* out, const T* a, const T* b, std::int64_t n, std::int64_t taps) {
  const std::int64_t t = static_cast<std::int64_t>(blockIdx.x) * Outputs * blockDim.x + threadIdx.x;
  const std::int64_t last = t + (Outputs - 1) * static_cast<std::int64_t>(blockDim.x);
  T sum[Outputs] = {};
  if (t >= taps - 1 && last < n) {
    const T* newest = a + t;
    for (std::int64_t m = 0; m < taps; ++m) {
      const T tap = b[m];
#pragma unroll
      for (int r = 0; r < Outputs; ++r) sum[r] += newest[r * static_cast<int>(blockDim.x)] * tap;
      --newest;
    }
  } else {
    const std::int64_t end = last < taps ? last + 1 : taps;
    for (std::int64_t m = t < n ? 0 : t - n + 1; m < end; ++m) {
#pragma unroll
      for (int r = 0; r < Outputs; ++r) {
        const std::int64_t k = t + r * static_cast<std::int64_t>(blockDim.x) - m;
        if (0 <= k && k < n) sum[r] += a[k] * b[m];
      }
    }
  }
#pragma unroll
  for (int r = 0; r < Outputs; ++r) {
    const std::int64_t at = t + r * static_cast<std::int64_t>(blockDim.x);
    if (at < n + taps - 1) out[at] = sum[r];
  }
}

constexpr int outputs_of_thread = 8;

TALLY_VARIANT(Convolve, hopper, register_blocked)
    .lesson(
        "Eight outputs a thread: a tap is loaded once for eight multiplications and nobody asks at every tap "
        "whether the signal is there. Each multiplication still has a load of the signal of its own, from the "
        "first-level cache: that is what limits it.")
    .source(own)
    .types<float, double>()
    .tunable("threads", {128, 256}, both(rules::whole_warps, rules::block_size))
    .additions(a_tap_after_the_other)
    .prepare([]<typename T>(Convolve<T> problem, const Tuning& t, Scratch&) {
      const std::int64_t threads = t["threads"];
      const std::int64_t tile = threads * outputs_of_thread;
      return [=](Queue& q) {
        q.launch(register_blocked<T, outputs_of_thread>, {(problem.outputs() + tile - 1) / tile, threads},
                 problem.out, problem.a, problem.b, problem.n, problem.taps);
      };
    });

// ---------------------------------------------------------------------------- tiled_taps, split_taps

/// The timed call of best/'s direct kernel in one shape.
template <Direct Shape, typename T>
std::function<void(Queue&)> always(const Convolve<T>& p) {
  const tally_convolve::detail::Arrays<T> arrays{p.out, p.a, p.b, p.n, p.taps};
  return [=](Queue& q) {
    tally_convolve::detail::run_direct<Shape>(
        arrays, [&](auto kernel, std::int64_t blocks, std::int64_t threads, auto... arguments) {
          q.launch(kernel, {blocks, threads}, arguments...);
        });
  };
}

/// Blocks of `tile` outputs read their stretch of the signal, and all taps that it meets; about.
Cost cost_of_tiles(const ProblemKey& key, std::int64_t tile) {
  const auto element = static_cast<double>(size_of(key.type));
  const auto outputs = static_cast<double>(outputs_of(key));
  const auto taps = static_cast<double>(key.integer("taps"));
  const double blocks = std::ceil(outputs / static_cast<double>(tile));
  return {.bytes_read = (static_cast<double>(key.n) + 2 * blocks * taps) * element,
          .bytes_written = outputs * element};
}

TALLY_VARIANT(Convolve, hopper, tiled_taps)
    .follows("register_blocked")
    .lesson(
        "A thread's outputs are neighbours, so that a window of the signal slides through its registers: each step "
        "loads 16 bytes of signal and 16 bytes of taps from shared memory and multiplies 4 · outputs times. An "
        "odd number of 16-byte words a thread keeps its lanes in different banks. Taps come a block of them at a "
        "time: any number will do.")
    .source(own)
    .types<float, double>()
    .tunable("words", {7, 5, 3, 1}, rules::between(1, 7))
    .tuning_needs("needs an odd number of words", [](const Tuning& t) { return t["words"] % 2 == 1; })
    .additions(a_tap_after_the_other)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto element = static_cast<std::int64_t>(size_of(key.type));
      return cost_of_tiles(key, 128 * t["words"] * 16 / element);
    })
    .prepare([]<typename T>(Convolve<T> problem, const Tuning& t, Scratch&) {
      switch (t["words"]) {
        case 1:
          return always<Direct{1, 128}>(problem);
        case 3:
          return always<Direct{3, 128}>(problem);
        case 5:
          return always<Direct{5, 128}>(problem);
        default:
          return always<Direct{7, 128}>(problem);
      }
    });

TALLY_VARIANT(Convolve, hopper, split_taps)
    .follows("tiled_taps")
    .lesson(
        "A short signal has too few outputs for all multiprocessors, and many taps: each warp of a block takes a "
        "part of the taps for the same outputs, and the parts are added in shared memory in the order of the "
        "warps. One launch, no scratch, the same bits every time.")
    .source(own)
    .types<float, double>()
    .tunable("warps", {8, 16}, rules::between(8, 16))
    .tuning_needs("needs 8 or 16 warps", [](const Tuning& t) { return t["warps"] % 8 == 0; })
    .additions(a_tap_after_the_other)
    .cost([](const ProblemKey& key, const Tuning& t) {
      const auto element = static_cast<std::int64_t>(size_of(key.type));
      return cost_of_tiles(key, (t["warps"] == 8 ? 3 : 1) * 32 * 16 / element);
    })
    .prepare([]<typename T>(Convolve<T> problem, const Tuning& t, Scratch&) {
      return t["warps"] == 8 ? always<Direct{3, 32, 8}>(problem) : always<Direct{1, 32, 16}>(problem);
    });

// -------------------------------------------------------------------- overlap_save, partitioned_taps

/// Transforms of 2^12 elements, and a sum of as many products as there are partitions.
double through_spectra(const ProblemKey& key, const Tuning&) {
  const std::int64_t taps = std::min(key.n, key.integer("taps"));
  constexpr double levels = 12;
  return spread_over_all(4 * levels + tally_convolve::partitioning_of(taps).partitions);
}

template <typename T>
Arrays<T> arrays_of(const Convolve<T>& p) {
  return Arrays<T>{p.out, p.a, p.b, p.n, p.taps}.with_fewer_taps();
}

/// best/'s launches in a queue.
auto launches_in(Queue& q) {
  return [&q](auto kernel, std::int64_t blocks, std::int64_t threads, auto... arguments) {
    q.launch(kernel, {blocks, threads}, arguments...);
  };
}

template <typename T>
Complex<T>* room_for_spectra(const Arrays<T>& arrays, Scratch& scratch) {
  return scratch.array<Complex<T>>(std::int64_t{tally_convolve::partitioning_of(arrays.taps).partitions} *
                                   tally_convolve::length);
}

constexpr std::int64_t taps_of_one_partition = tally_convolve::length / 2;

TALLY_VARIANT(Convolve, hopper, overlap_save)
    .follows("tiled_taps")
    .lesson(
        "A transform of 4,096 elements fits a block's registers, sixteen a thread, and its shared memory for the "
        "exchanges. So each tile of the signal goes there, is multiplied by the taps' spectrum and comes back "
        "without touching memory in between: one long transform moves everything half a dozen times. Two tiles are "
        "one complex transform, and frequencies are never sorted, since the way back takes them as they come.")
    .source(own)
    .types<float, double>()
    .needs("needs at most 2048 taps, half a tile",
           [](const ProblemKey& key, const Tuning&) {
             return std::min(key.n, key.integer("taps")) <= taps_of_one_partition;
           })
    .additions(through_spectra)
    .prepare([]<typename T>(Convolve<T> problem, const Tuning&, Scratch& scratch) {
      const Arrays<T> arrays = arrays_of(problem);
      Complex<T>* spectra = room_for_spectra(arrays, scratch);
      return [=](Queue& q) {
        const Partitioning whole = tally_convolve::partitioning(arrays.taps, 1);
        tally_convolve::detail::run_overlap_save(arrays, spectra, whole, launches_in(q));
      };
    });

TALLY_VARIANT(Convolve, hopper, partitioned_taps)
    .follows("overlap_save")
    .lesson(
        "More taps than half a tile: they are cut into parts, each meets its own, earlier stretch of the signal, and "
        "the products are summed up as spectra, so that there is one way back for all parts. A transform more a "
        "part is cheaper than the trips to memory that a longer one takes.")
    .source(own)
    .types<float, double>()
    .additions(through_spectra)
    .prepare([]<typename T>(Convolve<T> problem, const Tuning&, Scratch& scratch) {
      const Arrays<T> arrays = arrays_of(problem);
      Complex<T>* spectra = room_for_spectra(arrays, scratch);
      return [=](Queue& q) {
        const Partitioning cut = tally_convolve::partitioning_of(arrays.taps);
        tally_convolve::detail::run_overlap_save(arrays, spectra, cut, launches_in(q));
      };
    });

// ----------------------------------------------------------------------------------------------- best

TALLY_VARIANT(Convolve, hopper, best)
    .follows("partitioned_taps")
    .lesson(
        "What a program would use (best.cuh): the direct way for few taps, in the shape that suits n, and through "
        "Fourier transforms from the number of taps on at which measurements found them faster.")
    .source(own)
    .types<float, double>()
    .additions([](const ProblemKey& key, const Tuning& t) {
      const std::int64_t taps = std::min(key.n, key.integer("taps"));
      const bool in_spectra =
          size_of(key.type) == 4 ? tally_convolve::detail::is_for_overlap_save<float>(outputs_of(key), taps)
                                 : tally_convolve::detail::is_for_overlap_save<double>(outputs_of(key), taps);
      return in_spectra ? through_spectra(key, t) : a_tap_after_the_other(key, t);
    })
    .prepare([]<typename T>(Convolve<T> p, const Tuning&, Scratch& scratch) {
#if defined(__CUDACC__)
      std::size_t bytes = 0;
      require(tally_convolve::convolve(nullptr, bytes, p.a, p.n, p.b, p.taps, p.out),
              "tally_convolve: storage");
      void* storage = scratch.array<char>(static_cast<std::int64_t>(bytes));
      return [=](Queue& q) {
        std::size_t size = bytes;
        require(tally_convolve::convolve(storage, size, p.a, p.n, p.b, p.taps, p.out, q.stream()),
                "tally_convolve");
      };
#else
      const Arrays<T> arrays = arrays_of(p);
      Complex<T>* spectra = room_for_spectra(arrays, scratch);
      return [=](Queue& q) { tally_convolve::detail::run_by_table(arrays, spectra, launches_in(q)); };
#endif
    });

TALLY_VARIANT(Convolve, hopper, best_direct)
    .follows("split_taps")
    .lesson(
        "The best of the direct way, for any number of taps (convolve_direct of best.cuh): for who wants each output "
        "off by its own roundings only, and what the Fourier transforms are to be measured by.")
    .source(own)
    .types<float, double>()
    .additions(a_tap_after_the_other)
    .prepare([]<typename T>(Convolve<T> p, const Tuning&, Scratch&) {
      const Arrays<T> arrays = arrays_of(p);
      return [=](Queue& q) { tally_convolve::detail::run_direct_by_table(arrays, launches_in(q)); };
    });

}  // namespace
}  // namespace tally
