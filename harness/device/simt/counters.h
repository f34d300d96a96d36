/// \file
/// What the CPU executor counts and finds while a Session lives: memory traffic as a GPU's own counters would
/// have it, bank conflicts, divergence, and what is wrong with a kernel. Needs kernels compiled by clang with
/// `-fsanitize-coverage=bb,no-prune,pc-table,trace-pc-guard,trace-loads,trace-stores`; else
/// counting_available() is false, and a Session counts launches only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/device/simt/types.h"

namespace tally::simt {

/// Whether this program's kernels were compiled so that their accesses can be counted.
bool counting_available();

/// Sums over one launch or over many. counter_descriptions() says what each one is.
struct Counters {
  std::uint64_t launches = 0, blocks = 0, threads = 0;
  std::uint64_t dynamic_shared_bytes = 0,
                static_shared_bytes = 0;  ///< a block's; of several launches the most
  std::uint64_t global_load_requests = 0, global_load_sectors = 0, global_load_bytes = 0;
  std::uint64_t global_store_requests = 0, global_store_sectors = 0, global_store_bytes = 0;
  std::uint64_t global_atomic_requests = 0, global_atomic_sectors = 0, global_atomic_conflicts = 0;
  std::uint64_t shared_load_requests = 0, shared_load_wavefronts = 0, shared_load_conflicts = 0;
  std::uint64_t shared_store_requests = 0, shared_store_wavefronts = 0, shared_store_conflicts = 0;
  std::uint64_t shared_atomic_requests = 0, shared_atomic_wavefronts = 0, shared_atomic_conflicts = 0;
  std::uint64_t barriers = 0, warp_functions = 0;
  std::uint64_t code_blocks = 0, code_block_lanes = 0;
  std::uint64_t branches = 0, divergent_branches = 0;

  Counters& operator+=(const Counters& other);
  friend bool operator==(const Counters&, const Counters&) = default;

  /// By the names of counter_descriptions(), all of them, finite.
  std::map<std::string, double> by_name() const;
};

struct CounterDescription {
  const char* name;     ///< Nsight Compute's name of the same figure where it has one
  const char* meaning;  ///< with its unit
  double (*value)(const Counters&);
};

/// Every counter, in the order in which a page shows them.
std::span<const CounterDescription> counter_descriptions();

/// What one source line costs.
struct LineCounters {
  std::string file;  ///< empty where the line is not known
  int line = 0;
  // Warp-wide memory instructions, atomics included, and what they cost.
  std::uint64_t global_requests = 0, sectors = 0;
  std::uint64_t shared_requests = 0, wavefronts = 0, bank_conflicts = 0;
  std::uint64_t branches = 0, divergent_branches = 0;
};

enum class FindingKind {
  shared_race,         ///< two threads of a block, one of them writing, with nothing between that orders them
  global_race,         ///< the same in global memory, also between blocks
  out_of_bounds,       ///< an address in no buffer and no shared array
  uninitialised_read,  ///< of memory that nothing has written
  misaligned_access,   ///< an address that is no multiple of the access's size
  divergent_barrier,   ///< threads of a block at different barriers, or ended before one
  inactive_lane,       ///< a warp function that names or reads a lane which takes no part
  deadlock,            ///< threads that wait for each other
  fault                ///< a trap, a failed assertion, an exception, a division by zero
};
const char* name_of(FindingKind kind);

/// Something wrong with a kernel: where it was first seen, and how often.
struct Finding {
  FindingKind kind{};
  std::string kernel;
  std::string file;  ///< empty where the line is not known
  int line = 0;
  uint3 thread{}, block{};
  std::uint64_t address = 0;  ///< 0 where it is not about memory
  std::string buffer;         ///< the buffer's or shared array's name, empty where none is near
  std::string message;        ///< one line that says all of it
  std::uint64_t count = 0;
};

/// Collects the counters and findings of all launches while it lives. One at a time; the constructor throws
/// std::logic_error for a second one. While it lives, launches run on one core, in one order, and so give the
/// same counts every time.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  struct Launch {
    std::string kernel;
    Counters counters;
  };

  Counters total() const;
  /// In order; at most the first 65536.
  const std::vector<Launch>& launches() const;
  /// By file and line. Looks lines up in the program's debug information.
  std::vector<LineCounters> lines() const;
  /// In the order in which they were first seen.
  std::vector<Finding> findings() const;
  /// Forgets what was collected.
  void clear();

 private:
  std::unique_ptr<class Recorder> recorder_;
};

}  // namespace tally::simt
