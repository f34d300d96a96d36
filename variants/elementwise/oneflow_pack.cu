/// OneFlow's elementwise template: one launcher for functions of one, two or three arrays, which moves packs
/// of elements as wide as the memory's largest access.
///
///   naive            one element a thread
///   packed           up to 16 bytes a thread and access, the rest of the array by single threads; falls back
///   to
///                    packs of one where an array is not aligned to its packs
///   packed_in_pairs  packed, and the function works on two halves at a time
///
/// The function is a plain functor. That it can work on pairs is seen from its type, as in the source, where
/// a functor with a member Apply2 is used two elements at a time.
#include <algorithm>
#include <cstring>

#include "harness/catalog/declare.h"
#include "harness/device/launch.h"
#include "harness/problems/elementwise.h"

namespace tally {
namespace {

constexpr const char* notes = "Notes on GPU performance: elementwise, after OneFlow's elementwise template";
constexpr std::int64_t published_n = 32 << 20;

Cost cost_of_one_pass(const ProblemKey& key, const Tuning&) {
  const double array = static_cast<double>(key.n) * static_cast<double>(size_of(key.type));
  return {.bytes_read = inputs_of_elementwise(key.text("op")) * array, .bytes_written = array};
}

/// One launcher for every number of inputs: the kernel's own parameters are (op, n, out, inputs…).
template <typename T, typename Op, typename... Kernel>
void launch_on_inputs(Queue& q, const LaunchShape& shape, const Elementwise<T, Op>& p,
                      void (*kernel)(Kernel...)) {
  if constexpr (Op::inputs == 1) {
    q.launch(kernel, shape, p.op, p.n, p.out, p.x);
  } else if constexpr (Op::inputs == 2) {
    q.launch(kernel, shape, p.op, p.n, p.out, p.x, p.y);
  } else {
    q.launch(kernel, shape, p.op, p.n, p.out, p.x, p.y, p.z);
  }
}

// --------------------------------------------------------------------------------------------- naive

template <typename Op, typename T, typename... In>
__global__ void naive(Op op, std::int64_t n, T* out, const In*... in) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = op(in[i]...);
}

/// The kernel for the op's number of inputs.
template <typename T, typename Op>
auto naive_for() {
  if constexpr (Op::inputs == 1) return naive<Op, T, T>;
  if constexpr (Op::inputs == 2) return naive<Op, T, T, T>;
  if constexpr (Op::inputs == 3) return naive<Op, T, T, T, T>;
}

TALLY_VARIANT(Elementwise, oneflow_pack, naive)
    .lesson(
        "One element a thread. Coalesced; but a warp asks for 128 bytes at a time, with halves for 64, and the "
        "faster the memory is, the sooner the requests become the limit.")
    .source(notes)
    .types<float, double, half, bfloat16>()
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .cost(cost_of_one_pass)
    .published("A100", published_n, ScalarType::float32, 298, "us")
    .published("A100", published_n, ScalarType::float16, 237, "us")
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch&) {
      return [=, threads = t["threads"]](Queue& q) {
        launch_on_inputs(q, {(problem.n + threads - 1) / threads, threads}, problem, naive_for<T, Op>());
      };
    });

// --------------------------------------------------------------------------------------------- packed

constexpr std::int64_t widest_access = 16;  // bytes that one thread moves with one instruction
constexpr std::int64_t most_elements = 8;

template <typename T>
constexpr int widest_pack = static_cast<int>(std::min(widest_access / std::int64_t{sizeof(T)},
                                                      most_elements));

/// The type that moves so many bytes with one access.
template <int bytes>
struct WordOf;
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};

template <typename T, int size>
struct Pack {
  using Word = typename WordOf<static_cast<int>(sizeof(T)) * size>::type;
  T elements[size];

  __device__ static Pack load(const T* array, std::int64_t index) {
    const Word word = reinterpret_cast<const Word*>(array)[index];
    Pack pack;
    memcpy(static_cast<void*>(pack.elements), &word, sizeof word);
    return pack;
  }

  __device__ void store(T* array, std::int64_t index) const {
    Word word;
    memcpy(static_cast<void*>(&word), elements, sizeof word);
    reinterpret_cast<Word*>(array)[index] = word;
  }
};

/// The type that holds two elements for arithmetic on both at once, where there is one.
template <typename T>
struct PairOf {};
template <>
struct PairOf<half> {
  using type = half2;
};
template <>
struct PairOf<bfloat16> {
  using type = bfloat162;
};

/// Element by element.
struct Singly {
  template <typename Op, typename T, int size, typename... Rest>
  __device__ static Pack<T, size> apply(Op op, const Pack<T, size>& first, const Rest&... rest) {
    Pack<T, size> result;
#pragma unroll
    for (int j = 0; j < size; ++j) result.elements[j] = op(first.elements[j], rest.elements[j]...);
    return result;
  }
};

/// Two elements at a time, where the pack has pairs.
struct InPairs {
  template <typename Op, typename T, int size, typename... Rest>
  __device__ static Pack<T, size> apply(Op op, const Pack<T, size>& first, const Rest&... rest) {
    if constexpr (size % 2 == 0) {
      Pack<T, size> result;
#pragma unroll
      for (int j = 0; j < size; j += 2) {
        const auto pair = op(pair_at(first, j), pair_at(rest, j)...);
        memcpy(static_cast<void*>(result.elements + j), &pair, sizeof pair);
      }
      return result;
    } else {
      return Singly::apply(op, first, rest...);
    }
  }

 private:
  template <typename T, int size>
  __device__ static typename PairOf<T>::type pair_at(const Pack<T, size>& pack, int j) {
    typename PairOf<T>::type pair;
    memcpy(static_cast<void*>(&pair), pack.elements + j, sizeof pair);
    return pair;
  }
};

/// Whole packs with the stride of the grid; what is left of the array, less than a pack, one element a
/// thread.
template <typename How, int size, typename Op, typename T, typename... In>
__global__ void packed(Op op, std::int64_t n, T* out, const In*... in) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t packs = n / size;
  for (std::int64_t i = thread; i < packs; i += stride) {
    How::apply(op, Pack<In, size>::load(in, i)...).store(out, i);
  }
  const std::int64_t tail = packs * size + thread;
  if (tail < n) out[tail] = op(in[tail]...);
}

template <typename How, int size, typename T, typename Op>
auto packed_for() {
  if constexpr (Op::inputs == 1) return packed<How, size, Op, T, T>;
  if constexpr (Op::inputs == 2) return packed<How, size, Op, T, T, T>;
  if constexpr (Op::inputs == 3) return packed<How, size, Op, T, T, T, T>;
}

template <typename T, typename Op>
bool aligned_to_packs(const Elementwise<T, Op>& p) {
  constexpr std::uintptr_t bytes = sizeof(T) * widest_pack<T>;
  const auto is_aligned = [](const T* array) {
    return reinterpret_cast<std::uintptr_t>(array) % bytes ==
           0;  // holds for null, an input that is not there
  };
  return is_aligned(p.x) && is_aligned(p.y) && is_aligned(p.z) && is_aligned(p.out);
}

/// The source's grid: a block for each `threads` packs, but no more than `waves` times what the GPU holds.
template <typename How, typename T, typename Op>
auto in_packs(Elementwise<T, Op> problem, const Tuning& t, Scratch& scratch) {
  constexpr std::int64_t threads_of_multiprocessor = 2048;
  constexpr int size = widest_pack<T>;
  const std::int64_t threads = t["threads"];
  const std::int64_t at_once = scratch.device().multiprocessors * (threads_of_multiprocessor / threads);
  return [=, most = at_once * t["waves"], aligned = aligned_to_packs(problem)](Queue& q) {
    const std::int64_t packs = problem.n / (aligned ? size : 1);
    const std::int64_t blocks = std::clamp<std::int64_t>((packs + threads - 1) / threads, 1, most);
    if (aligned) {
      launch_on_inputs(q, {blocks, threads}, problem, packed_for<How, size, T, Op>());
    } else {
      launch_on_inputs(q, {blocks, threads}, problem, packed_for<How, 1, T, Op>());
    }
  };
}

TALLY_VARIANT(Elementwise, oneflow_pack, packed)
    .follows("naive")
    .lesson(
        "Sixteen bytes a thread and access: a quarter or an eighth of the requests for the same bytes. "
        "Four-byte elements gain 5 % on the notes' A100 and 30 % on an H200, halves nearly their whole factor of "
        "two.")
    .source(notes)
    .types<float, double, half, bfloat16>()
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .tunable("waves", {32, 8, 1}, rules::between(1, 1 << 16))
    .cost(cost_of_one_pass)
    .published("A100", published_n, ScalarType::float32, 284, "us")
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch& scratch) {
      return in_packs<Singly>(problem, t, scratch);
    });

TALLY_VARIANT(Elementwise, oneflow_pack, packed_in_pairs)
    .follows("packed")
    .lesson(
        "The same accesses, and half of the arithmetic instructions: half2 multiplies two at a time. Where "
        "memory is the limit the instructions that are saved were free.")
    .source(notes)
    .types<half, bfloat16>()
    .tunable("threads", {256, 128, 512, 1024}, both(rules::whole_warps, rules::block_size))
    .tunable("waves", {32, 8, 1}, rules::between(1, 1 << 16))
    .cost(cost_of_one_pass)
    .published("A100", published_n, ScalarType::float16, 141, "us")
    .prepare([]<typename T, typename Op>(Elementwise<T, Op> problem, const Tuning& t, Scratch& scratch) {
      return in_packs<InPairs>(problem, t, scratch);
    });

}  // namespace
}  // namespace tally
