#pragma once

#include "candidates.cuh"

/// The ideas that grid_of_blocks was chosen over, on the same loads and shapes, so that each one's worth can
/// be read off.
namespace tune {

enum class Meeting : std::uint8_t {
  launch,  ///< partial results and a second launch
  ticket,  ///< partial results, an acquire-release ticket, the last to come adds them up
  atomic   ///< one atomic addition a block, and a ticket; the last to come resets both
};

struct State {
  unsigned ticket;
  float sum;
};

__device__ inline unsigned take_ticket(unsigned* ticket) {
  unsigned before = 0;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(ticket) : "memory");
  return before;
}

template <int Threads, int Loads, Meeting meeting>
__global__ void __launch_bounds__(Threads, 2048 / Threads)
    other_idea(Spans spans, State* state, float* partials, float* out) {
  using Op = tally_reduce::Sum;
  detail::let_later_kernels_start();
  detail::wait_for_earlier_kernels();
  float sum = detail::reduce_block<Op, Threads>(detail::gather_tiles<float, Op, Threads, Loads>(spans));
  if constexpr (meeting == Meeting::launch) {
    if (threadIdx.x == 0) partials[blockIdx.x] = sum;
  } else if constexpr (meeting == Meeting::atomic) {
    if (threadIdx.x != 0) return;
    atomicAdd(&state->sum, sum);
    if (take_ticket(&state->ticket) == gridDim.x - 1) {
      *out = atomicExch(&state->sum, 0.0f);
      state->ticket = 0;
    }
  } else {
    __shared__ bool last;
    if (threadIdx.x == 0) {
      __stcg(partials + blockIdx.x, sum);
      last = take_ticket(&state->ticket) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    sum = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += Threads) sum += __ldcg(partials + i);
    sum = detail::reduce_block<Op, Threads>(sum);
    if (threadIdx.x == 0) {
      *out = sum;
      state->ticket = 0;
    }
  }
}

template <int Threads>
__global__ void add_partials(const float* partials, int count, float* out) {
  using Op = tally_reduce::Sum;
  detail::let_later_kernels_start();
  detail::wait_for_earlier_kernels();
  float sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads) sum += __ldcg(partials + i);
  sum = detail::reduce_block<Op, Threads>(sum);
  if (threadIdx.x == 0) *out = sum;
}

template <int Threads, int Loads, Meeting meeting>
void add_idea(std::vector<Candidate>& all, const Question<float>& q, const char* meeting_name) {
  static State* state = nullptr;
  static float* partials = nullptr;
  if (state == nullptr) {
    TUNE_REQUIRE(cudaMalloc(&state, sizeof(State)));
    TUNE_REQUIRE(cudaMemset(state, 0, sizeof(State)));
    TUNE_REQUIRE(cudaMalloc(&partials, most_blocks * sizeof(float)));
  }
  const Spans spans = tally_reduce::spans_of(q.x, q.n);
  if (spans.head + spans.tail > 0) return;
  const std::int64_t tiles = ceiling_of(spans.words, std::int64_t{Threads} * Loads);
  for (const int of_each : {1, 2, 4}) {
    const std::int64_t blocks = std::min<std::int64_t>(tiles, std::int64_t{of_each} * multiprocessors());
    if (blocks < 2 || (of_each > 1 && blocks < of_each * multiprocessors()) || of_each * Threads > 2048) {
      continue;
    }
    const auto grid = static_cast<unsigned>(blocks);
    all.push_back({std::string("idea/") + meeting_name + "/t" + std::to_string(Threads) + "/u" +
                       std::to_string(Loads) + "/m" + std::to_string(of_each),
                   [=](cudaStream_t stream, bool programmatic) {
                     const cudaError_t status = detail::launch(other_idea<Threads, Loads, meeting>,
                                                               {grid, Threads, 0, 1, programmatic}, stream,
                                                               spans, state, partials, q.out);
                     if (meeting != Meeting::launch || status != cudaSuccess) return status;
                     return detail::launch(add_partials<Threads>, {1, Threads, 0, 1, programmatic}, stream,
                                           partials, static_cast<int>(grid), q.out);
                   }});
  }
}

template <int Threads, int Loads>
void add_ideas(std::vector<Candidate>& all, const Question<float>& q) {
  add_idea<Threads, Loads, Meeting::launch>(all, q, "launch");
  add_idea<Threads, Loads, Meeting::ticket>(all, q, "ticket");
  add_idea<Threads, Loads, Meeting::atomic>(all, q, "atomic");
}

}  // namespace tune
