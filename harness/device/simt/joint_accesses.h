/// \file
/// What the lanes of a way access together, and whether the order in which such accesses are looked at
/// matters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/device/simt/request_log.h"
#include "harness/device/simt/ways.h"

namespace tally::simt {

/// One access of a way: the same site for each of its lanes.
struct JointAccess {
  const Site* site = nullptr;
  Event* event = nullptr;  ///< of the way
  std::uint32_t lanes = 0;
  std::uint32_t index = 0;  ///< among each lane's addresses
  std::uint64_t lowest = 0, end = 0;
  std::uint64_t of_lane_0 = 0;  ///< where lanes' addresses follow each other, what that of lane 0 would be
  bool aligned = false;
  bool in_line = false;  ///< lanes' addresses follow each other without a gap or overlap
};

class JointAccesses {
 public:
  /// Finds those of all ways. False where lanes might reach one word and one of them change it, where there
  /// are atomics or fences, or where an access is misaligned: then only the order in which the lanes ran will
  /// do.
  bool find(const Ways& ways, const RequestLog& requests);
  std::span<const JointAccess> all() const { return all_; }

 private:
  bool stores_keep_apart();

  std::vector<JointAccess> all_;
  std::vector<const JointAccess*> stores_;
};

}  // namespace tally::simt
