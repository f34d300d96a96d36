#include "harness/device/simt/counters.h"

#include <algorithm>

namespace tally::simt {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

#define TALLY_FIELD(name, field, meaning)                                         \
  CounterDescription {                                                            \
    name, meaning, [](const Counters& c) { return static_cast<double>(c.field); } \
  }
#define TALLY_RATIO(name, upper, lower, meaning)                             \
  CounterDescription {                                                       \
    name, meaning, [](const Counters& c) { return ratio(c.upper, c.lower); } \
  }

constexpr CounterDescription descriptions[] = {
    TALLY_FIELD("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global_load_requests,
                "global loads, warp-wide"),
    TALLY_FIELD("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", global_load_sectors,
                "32-byte sectors that global loads touch"),
    TALLY_RATIO("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", global_load_sectors,
                global_load_requests, "sectors a global load (4: a whole line of 4-byte lanes)"),
    TALLY_FIELD("global_load_bytes_asked", global_load_bytes, "bytes that lanes ask of global memory"),
    CounterDescription{"l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum", "bytes of the sectors of global loads",
                       [](const Counters& c) { return 32.0 * static_cast<double>(c.global_load_sectors); }},
    TALLY_FIELD("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", global_store_requests,
                "global stores, warp-wide"),
    TALLY_FIELD("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", global_store_sectors,
                "32-byte sectors that global stores touch"),
    TALLY_RATIO("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", global_store_sectors,
                global_store_requests, "sectors a global store"),
    TALLY_FIELD("global_store_bytes_asked", global_store_bytes, "bytes that lanes give to global memory"),
    CounterDescription{"l1tex__t_bytes_pipe_lsu_mem_global_op_st.sum",
                       "bytes of the sectors of global stores",
                       [](const Counters& c) { return 32.0 * static_cast<double>(c.global_store_sectors); }},
    // Nsight Compute has global atomics apart, as op_red and op_atom.
    TALLY_FIELD("global_atomic_requests", global_atomic_requests, "global atomics, warp-wide"),
    TALLY_FIELD("global_atomic_sectors", global_atomic_sectors,
                "sectors of global atomics, once a lane that meets others"),
    TALLY_FIELD("global_atomic_conflicts", global_atomic_conflicts,
                "lanes of global atomics whose address was taken"),
    TALLY_FIELD("smsp__inst_executed_op_shared_ld.sum", shared_load_requests, "shared loads, warp-wide"),
    TALLY_FIELD("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", shared_load_wavefronts,
                "wavefronts (turns) that shared loads take"),
    TALLY_FIELD("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", shared_load_conflicts,
                "wavefronts that bank conflicts add to shared loads"),
    TALLY_FIELD("smsp__inst_executed_op_shared_st.sum", shared_store_requests, "shared stores, warp-wide"),
    TALLY_FIELD("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", shared_store_wavefronts,
                "wavefronts (turns) that shared stores take"),
    TALLY_FIELD("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", shared_store_conflicts,
                "wavefronts that bank conflicts add to shared stores"),
    TALLY_FIELD("smsp__inst_executed_op_shared_atom.sum", shared_atomic_requests,
                "shared atomics, warp-wide"),
    TALLY_FIELD("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", shared_atomic_wavefronts,
                "wavefronts (turns) that shared atomics take"),
    TALLY_FIELD("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", shared_atomic_conflicts,
                "wavefronts that bank conflicts add to shared atomics"),
    TALLY_FIELD("barriers", barriers, "times that a block passed __syncthreads"),
    TALLY_FIELD("warp_functions", warp_functions, "shuffles, votes, reductions and __syncwarp of warps"),
    TALLY_RATIO("average_active_lanes", code_block_lanes, code_blocks,
                "active lanes of a warp, on average (at best 32)"),
    TALLY_FIELD("branches", branches, "times a warp came to a branch that went both ways"),
    TALLY_FIELD("divergent_branches", divergent_branches, "times such a branch split the warp"),
    TALLY_RATIO("divergent_branch_share", divergent_branches, branches,
                "share of those branches that split a warp"),
    TALLY_FIELD("launches", launches, "kernel launches"),
    TALLY_FIELD("blocks", blocks, "blocks of all launches"),
    TALLY_FIELD("threads", threads, "threads of all launches"),
    TALLY_FIELD("launch__shared_mem_per_block_dynamic", dynamic_shared_bytes,
                "bytes of dynamic shared memory a block, at most"),
    TALLY_FIELD("launch__shared_mem_per_block_static", static_shared_bytes,
                "bytes of the __shared__ arrays touched, at most"),
};

#undef TALLY_FIELD
#undef TALLY_RATIO

}  // namespace

std::span<const CounterDescription> counter_descriptions() { return descriptions; }

std::map<std::string, double> Counters::by_name() const {
  std::map<std::string, double> values;
  for (const CounterDescription& description : descriptions)
    values[description.name] = description.value(*this);
  return values;
}

Counters& Counters::operator+=(const Counters& other) {
  constexpr std::uint64_t Counters::*sums[] = {
      &Counters::launches,
      &Counters::blocks,
      &Counters::threads,
      &Counters::global_load_requests,
      &Counters::global_load_sectors,
      &Counters::global_load_bytes,
      &Counters::global_store_requests,
      &Counters::global_store_sectors,
      &Counters::global_store_bytes,
      &Counters::global_atomic_requests,
      &Counters::global_atomic_sectors,
      &Counters::global_atomic_conflicts,
      &Counters::shared_load_requests,
      &Counters::shared_load_wavefronts,
      &Counters::shared_load_conflicts,
      &Counters::shared_store_requests,
      &Counters::shared_store_wavefronts,
      &Counters::shared_store_conflicts,
      &Counters::shared_atomic_requests,
      &Counters::shared_atomic_wavefronts,
      &Counters::shared_atomic_conflicts,
      &Counters::barriers,
      &Counters::warp_functions,
      &Counters::code_blocks,
      &Counters::code_block_lanes,
      &Counters::branches,
      &Counters::divergent_branches,
  };
  static_assert(sizeof sums / sizeof *sums + 2 == sizeof(Counters) / sizeof(std::uint64_t),
                "a counter is left out");
  for (const auto member : sums) this->*member += other.*member;
  dynamic_shared_bytes = std::max(dynamic_shared_bytes, other.dynamic_shared_bytes);
  static_shared_bytes = std::max(static_shared_bytes, other.static_shared_bytes);
  return *this;
}

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::shared_race:
      return "race in shared memory";
    case FindingKind::global_race:
      return "race in global memory";
    case FindingKind::out_of_bounds:
      return "out of bounds";
    case FindingKind::uninitialised_read:
      return "read of memory that nothing wrote";
    case FindingKind::misaligned_access:
      return "misaligned access";
    case FindingKind::divergent_barrier:
      return "divergent barrier";
    case FindingKind::inactive_lane:
      return "inactive lane";
    case FindingKind::deadlock:
      return "deadlock";
    default:
      return "fault";
  }
}

}  // namespace tally::simt
