#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/problems/problem.h"

namespace tally {

/// Answers that were held against the exact one and found right, by the hash of their bits: the same bits to
/// the same question need not be brought to the host and compared once more.
class RightAnswers {
 public:
  /// `additions` as in Problem::check(), on which the verdict depends.
  std::optional<CheckResult> find(const Problem& problem, std::optional<double> additions,
                                  std::uint64_t hash) const;
  void add(const Problem& problem, std::optional<double> additions, std::uint64_t hash,
           const CheckResult& figures);

 private:
  std::map<std::string, CheckResult> found_;
};

}  // namespace tally
