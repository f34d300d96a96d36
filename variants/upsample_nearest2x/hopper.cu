/// Our own upsampling by two and its gradient, one idea at a time, in CUDA C++ that every GPU runs and the
/// CPU executor too. The kernels are those of best/, which are written to be copied into any program. What
/// needs a Hopper GPU (programmatic launches), and the choice by size, follows in hopper_cuda.cu.
///
///   one_division       one element a thread; one division, by multiplication, finds its square
///   wide_pieces        8 bytes of the small images a thread, 16 bytes an access of the large ones
///   several_in_flight  several pieces a thread, on their way together
///   streaming_stores   what is stored is the first to leave the caches
///
/// The floor: five images' bytes / copy ceiling, and an empty launch for what is left when there are no
/// bytes. README.md beside this file has the figures of each regime.
#include <type_traits>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/upsample_nearest2x.h"
#include "variants/upsample_nearest2x/best/kernels.cuh"

namespace tally {
namespace {

namespace kernels = tally_upsample::detail;
using tally_upsample::Hint;
using tally_upsample::Images;
using tally_upsample::Kernel;
using tally_upsample::PieceShape;
using tally_upsample::Place;

constexpr const char* own = "Tally's own";

/// A kernel's arguments, under a type of this file alone: this source is compiled for two devices, and a
/// kernel of best/ with these arguments is another one in each.
template <int threads, int depth, int most_piece, Hint stores = Hint::none>
struct Here {
  static constexpr Kernel kernel{threads, depth, most_piece, Hint::none, stores};
};

/// A kernel's functions: for pieces of each shape.
template <typename T>
struct Compiled {
  Kernel kernel;
  kernels::KernelFunction<T> (*function_for)(const PieceShape&);
};

template <typename Arguments, typename T, typename Direction>
Compiled<T> compiled() {
  constexpr bool forward = std::is_same_v<Direction, Forward>;
  return {Arguments::kernel, kernels::function_for<T, forward, Arguments>};
}

/// The timed call: one launch, or several where one cannot count the pieces.
template <typename T, typename Direction>
auto in_pieces(const UpsampleNearest2x<T, Direction>& p, const Compiled<T>& compiled) {
  constexpr bool forward = std::is_same_v<Direction, Forward>;
  const Images images{p.width == 0 ? 0 : p.elements / p.width, p.width, static_cast<int>(sizeof(T))};
  const PieceShape shape = tally_upsample::piece_shape(images, forward ? p.in : p.out, forward ? p.out : p.in,
                                                       compiled.kernel.most_piece);
  const auto function = compiled.function_for(shape);
  return [=, kernel = compiled.kernel](Queue& q) {
    for (Place place; place.row < images.rows;) {
      const tally_upsample::Part part = part_at(images, place, shape.bytes);
      q.launch(function, {tally_upsample::blocks_of(kernel, part.pieces), kernel.threads},
               kernels::stacks_of<T, forward>(images, part, p.in, p.out));
      place = part.behind;
    }
  };
}

double additions(const ProblemKey& key, const Tuning&) {
  return key.text("direction") == Backward::name ? 3.0 : 0.0;
}

Cost cost_of_one_pass(const ProblemKey& key, const Tuning&) {
  const double small = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  const bool forward = key.text("direction") == Forward::name;
  return {.bytes_read = (forward ? 1 : 4) * small, .bytes_written = (forward ? 4 : 1) * small};
}

// -------------------------------------------------------------------------------------- one_division

TALLY_VARIANT(UpsampleNearest2x, hopper, one_division)
    .lesson(
        "All rows of all images are one stack: where an element's square lies needs the row alone, one division "
        "in place of two, and with the divisor known at the launch that is a multiplication and a shift.")
    .source(own)
    .types<float, half>()
    .tunable("threads", {256, 128}, rules::one_of({128, 256}))
    .additions(additions)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> problem, const Tuning& t,
                                                Scratch&) {
      constexpr int element = sizeof(T);
      return in_pieces(problem, t["threads"] == 128 ? compiled<Here<128, 1, element>, T, Direction>()
                                                    : compiled<Here<256, 1, element>, T, Direction>());
    });

// --------------------------------------------------------------------------------------- wide_pieces

TALLY_VARIANT(UpsampleNearest2x, hopper, wide_pieces)
    .follows("one_division")
    .lesson(
        "Eight bytes of the small images a thread, so that a large row is moved by 16 bytes an access: a half or "
        "a quarter of the instructions, and of the divisions. Sixteen bytes would be two accesses of the large "
        "images, with gaps between a warp's. Rows that no such piece divides get smaller ones.")
    .source(own)
    .types<float, half>()
    .tunable("piece_bytes", {8, 4, 16}, rules::one_of({4, 8, 16}))
    .additions(additions)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> problem, const Tuning& t,
                                                Scratch&) {
      const std::int64_t bytes = t["piece_bytes"];
      return in_pieces(problem, bytes == 4   ? compiled<Here<256, 1, 4>, T, Direction>()
                                : bytes == 8 ? compiled<Here<256, 1, 8>, T, Direction>()
                                             : compiled<Here<256, 1, 16>, T, Direction>());
    });

// --------------------------------------------------------------------------------- several_in_flight

TALLY_VARIANT(UpsampleNearest2x, hopper, several_in_flight)
    .follows("wide_pieces")
    .lesson(
        "A thread has several pieces, a block's width apart, and asks for all of them before it uses the first: "
        "fewer threads fill the memory's pipe.")
    .source(own)
    .types<float, half>()
    .tunable("pieces", {4, 2}, rules::one_of({2, 4}))
    .additions(additions)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> problem, const Tuning& t,
                                                Scratch&) {
      return in_pieces(problem, t["pieces"] == 2 ? compiled<Here<256, 2, 8>, T, Direction>()
                                                 : compiled<Here<256, 4, 8>, T, Direction>());
    });

// ---------------------------------------------------------------------------------- streaming_stores

TALLY_VARIANT(UpsampleNearest2x, hopper, streaming_stores)
    .follows("wide_pieces")
    .lesson(
        "What is stored is not used again here: marked as the first to leave, it makes place for what is still "
        "to be read, and its way back to memory begins early.")
    .source(own)
    .types<float, half>()
    .additions(additions)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Direction>(UpsampleNearest2x<T, Direction> problem, const Tuning&,
                                                Scratch&) {
      return in_pieces(problem, compiled<Here<256, 1, 8, Hint::evict_first>, T, Direction>());
    });

}  // namespace
}  // namespace tally
