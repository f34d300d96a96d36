/// Our own elementwise transforms, one idea at a time, in CUDA C++ that every GPU runs and the CPU executor
/// too. The kernels are those of best/, which are written to be copied into any program. What needs a Hopper
/// GPU (programmatic launches, bulk copies), and the choice between all of them, follows in hopper_cuda.cu.
///
///   vector_loads       16 bytes an access, one tile a block
///   several_in_flight  several words of each input on their way before the first is used
///   streaming          the same, with the caches told that nothing is used twice
///   persistent         the same, by blocks that stay, tile after tile
///
/// The floor: all arrays' bytes / copy ceiling, and an empty launch for what is left when there are no bytes.
/// README.md beside this file has the figures of each regime.
#include <algorithm>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"
#include "variants/elementwise/best/plan.h"
#include "variants/elementwise/best/tiles.cuh"

namespace tally {
namespace {

namespace kernels = tally_elementwise::detail;
using kernels::Arrays;
using tally_elementwise::ArgumentsOf;
using tally_elementwise::Hint;
using tally_elementwise::Inputs;
using tally_elementwise::Kernel;
using tally_elementwise::Next;
using tally_elementwise::Way;

constexpr const char* own = "Tally's own";

/// A problem's op, under a type of this file alone: this source is compiled for two devices, and a kernel of
/// best/ with this op is another one in each.
template <typename Op>
struct OpHere {
  Op op;
  template <typename... T>
  __device__ auto operator()(T... elements) const {
    return op(elements...);
  }
};

template <typename T, typename Op>
Inputs<T, Op::inputs> inputs_of(const Elementwise<T, Op>& p) {
  if constexpr (Op::inputs == 1) return {{p.x}};
  if constexpr (Op::inputs == 2) return {{p.x, p.y}};
  if constexpr (Op::inputs == 3) return {{p.x, p.y, p.z}};
}

template <typename T, typename Op>
using KernelFunction = void (*)(Arrays<T, Op::inputs>, OpHere<Op>);

/// A kernel with the arguments that it is compiled for.
template <typename T, typename Op>
struct Compiled {
  Kernel kernel;
  KernelFunction<T, Op> function;
};

template <Kernel kernel, typename T, typename Op>
Compiled<T, Op> one_tile_each() {
  return {kernel, kernels::one_tile_each<T, Op::inputs, OpHere<Op>, ArgumentsOf<kernel>>};
}

/// The timed call: at most `most` blocks, one a tile otherwise.
template <typename T, typename Op>
auto in_tiles(const Elementwise<T, Op>& p, const Compiled<T, Op>& compiled, std::int64_t most = INT32_MAX) {
  const auto in = inputs_of(p);
  const auto spans = tally_elementwise::spans_of(in, p.out, p.n);
  const auto arrays = kernels::arrays_of(in, p.out, spans);
  const std::int64_t blocks = std::min<std::int64_t>(
      tally_elementwise::blocks_of(compiled.kernel, spans.words, arrays.ends != 0), most);
  return [=, op = OpHere<Op>{p.op}](Queue& q) {
    if (spans.in_words) {
      q.launch(compiled.function, {blocks, compiled.kernel.threads}, arrays, op);
    } else {
      q.launch(kernels::elements_one_by_one<T, Op::inputs, OpHere<Op>>,
               {kernels::blocks_of_elements(p.n), kernels::threads_of_elements}, in, p.out,
               static_cast<unsigned>(p.n), op);
    }
  };
}

bool fits_one_launch(const ProblemKey& key, const Tuning&) {
  return key.n <= tally_elementwise::most_of_one_launch;
}
constexpr const char* one_launch = "needs n of at most 2^30: one launch";

Cost cost_of_one_pass(const ProblemKey& key, const Tuning&) {
  const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  return {.bytes_read = inputs_of_elementwise(key.text("op")) * array, .bytes_written = array};
}

// -------------------------------------------------------------------------------------- vector_loads

TALLY_VARIANT(Elementwise, hopper, vector_loads)
    .lesson(
        "Sixteen bytes an access, whatever the type. One word a thread and a tile a block: the hardware deals "
        "out blocks in order, so that all multiprocessors together walk through memory in one narrow front.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("threads", {256, 128, 1024}, rules::one_of({128, 256, 1024}))
    .needs(one_launch, fits_one_launch)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch&) {
      const std::int64_t threads = t["threads"];
      return in_tiles(problem, threads == 128   ? one_tile_each<Kernel{Way::loads, 128, 1}, T, Op>()
                               : threads == 256 ? one_tile_each<Kernel{Way::loads, 256, 1}, T, Op>()
                                                : one_tile_each<Kernel{Way::loads, 1024, 1}, T, Op>());
    });

// --------------------------------------------------------------------------------- several_in_flight

TALLY_VARIANT(Elementwise, hopper, several_in_flight)
    .follows("vector_loads")
    .lesson(
        "A thread asks for several words of each input before it uses the first. It helps where too few threads "
        "are there to fill the memory's pipe, about a megabyte; beyond, other blocks fill it, and the wider "
        "front costs a little.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("words", {4, 2, 8}, rules::one_of({2, 4, 8}))
    .needs(one_launch, fits_one_launch)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch&) {
      const std::int64_t words = t["words"];
      return in_tiles(problem, words == 2   ? one_tile_each<Kernel{Way::loads, 256, 2}, T, Op>()
                               : words == 4 ? one_tile_each<Kernel{Way::loads, 256, 4}, T, Op>()
                                            : one_tile_each<Kernel{Way::loads, 256, 8}, T, Op>());
    });

// ----------------------------------------------------------------------------------------- streaming

constexpr Kernel streaming_tiles{Way::loads, 256, 4, Hint::evict_first, Hint::evict_first};

TALLY_VARIANT(Elementwise, hopper, streaming)
    .follows("several_in_flight")
    .lesson(
        "Every byte is used once, and the caches are told: what was loaded or stored is the first to make place. "
        "A hint that costs more than it gives once arrays are larger than the L2 cache.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .needs(one_launch, fits_one_launch)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning&, Scratch&) {
      return in_tiles(problem, one_tile_each<streaming_tiles, T, Op>());
    });

// ---------------------------------------------------------------------------------------- persistent

/// Blocks that take their tiles by turns.
template <typename T, int inputs, typename Op, typename Arguments>
__global__ void __launch_bounds__(Arguments::kernel.threads) tiles_by_turns(Arrays<T, inputs> arrays, Op op) {
  constexpr Kernel kernel = Arguments::kernel;
  constexpr unsigned tile = kernel.threads * kernel.depth;
  if (arrays.ends != 0 && blockIdx.x == gridDim.x - 1) kernels::apply_to_ends(op, arrays);
  unsigned first = blockIdx.x * tile;
  for (; first + tile <= arrays.words; first += gridDim.x * tile) {
    kernels::move_tile<kernel, true>(op, arrays, first);
  }
  if (first < arrays.words) kernels::move_tile<kernel, false>(op, arrays, first);
}

constexpr Kernel tiles_of_turns{Way::loads, 256, 4, Hint::none, Hint::none, Next::at_once};

TALLY_VARIANT(Elementwise, hopper, persistent)
    .follows("several_in_flight")
    .lesson(
        "As many blocks as the multiprocessors hold, which take tiles by turns: no block is started after the "
        "first wave. But a block's next loads wait for its own stores to be issued, where a fresh block's would "
        "already be on their way.")
    .source(own)
    .types<float, double, half, bfloat16>()
    .tunable("blocks_of_multiprocessor", {4, 1, 8}, rules::between(1, 32))
    .needs(one_launch, fits_one_launch)
    .cost(cost_of_one_pass)
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch& scratch) {
      const Compiled<T, Op> compiled{tiles_of_turns,
                                     tiles_by_turns<T, Op::inputs, OpHere<Op>, ArgumentsOf<tiles_of_turns>>};
      return in_tiles(problem, compiled, t["blocks_of_multiprocessor"] * scratch.device().multiprocessors);
    });

}  // namespace
}  // namespace tally
