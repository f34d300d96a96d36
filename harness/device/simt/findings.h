/// \file
/// Collects what is wrong with kernels: each fault once, with the place where it was first seen, and how
/// often.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "harness/device/simt/counters.h"

namespace tally::simt {

/// A finding before its lines are looked up.
struct RawFinding {
  FindingKind kind{};
  const void* place = nullptr;
  std::string kernel;
  uint3 thread{}, block{};
  std::uint64_t address = 0;
  std::string buffer;
  std::string what;  ///< "writes 4 bytes at 1024 of 'sums' (1024 bytes)"
  // Of a race: the other access.
  const void* other_place = nullptr;
  std::string other_what;  ///< "thread (3, 0, 0) read"
  std::uint64_t count = 0;
};

class FindingLog {
 public:
  /// Whether this fault is not known yet; counts it when it is. Ask first: the texts of a finding cost more
  /// than the finding.
  bool is_new(FindingKind kind, const void* place, const void* other_place, std::uint32_t launch_kernel);
  /// What is_new() just said was new.
  void add(RawFinding finding);

  std::vector<Finding> resolved() const;
  void clear();

 private:
  using Key = std::tuple<FindingKind, const void*, const void*, std::uint32_t>;
  std::map<Key, std::size_t> known_;
  std::vector<RawFinding> findings_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace tally::simt
