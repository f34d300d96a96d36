/// \file
/// Groups lanes' accesses into the warp's memory instructions and counts what they cost.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/device/simt/counters.h"
#include "harness/device/simt/place_table.h"
#include "harness/device/simt/warp_groups.h"

namespace tally::simt {

enum class AccessKind : std::uint8_t { load, store, atomic, atomic_loop };

/// One warp-wide instruction. Lanes of a generic address may differ in the memory they reach.
struct Request {
  std::uint32_t global = 0, shared = 0;  ///< masks of lanes
  std::uint64_t addresses[32];
  void reset() { global = shared = 0; }
};

/// A place in the code that accesses memory, with what it has cost so far.
struct Site {
  const void* place = nullptr;
  std::uint32_t index = 0;  ///< in RequestLog::sites()
  AccessKind kind{};
  std::uint8_t bytes = 0;
  std::uint64_t global_requests = 0, sectors = 0;
  std::uint64_t shared_requests = 0, wavefronts = 0, bank_conflicts = 0;
  WarpGroups<Request> open;
};

class RequestLog {
 public:
  /// The number of a place's site; a new place gets one.
  TALLY_SIMT_INLINE std::uint32_t site_of(const void* place, AccessKind kind, unsigned bytes) {
    const std::uint32_t index = table_.find(place);
    return index != PlaceTable::none ? index : add_site(place, kind, bytes);
  }
  const std::vector<std::unique_ptr<Site>>& sites() const { return sites_; }

  /// The next request of lanes that go one way, for each of them to be told its address. Where there are
  /// several lanes, no other way may be known of any of them before all requests are flushed.
  Request& next(Site& site, std::uint32_t lanes) {
    if (site.open.empty()) touched_.push_back(&site);
    return site.open[site.open.next(static_cast<unsigned>(std::countr_zero(lanes)))];
  }
  bool nothing_open() const { return touched_.empty(); }

  /// Counts the requests that no lane of `running` can still join.
  void flush(std::uint32_t running, Counters& counters);

  /// Forgets all costs, but not the sites.
  void clear_costs();
  /// Forgets the requests that are not flushed, as those of a launch that failed.
  void forget_open();

 private:
  std::uint32_t add_site(const void* place, AccessKind kind, unsigned bytes);
  void count(Site& site, const Request& request, Counters& counters);

  PlaceTable table_;
  std::vector<std::unique_ptr<Site>> sites_;
  std::vector<Site*> touched_;
};

}  // namespace tally::simt
