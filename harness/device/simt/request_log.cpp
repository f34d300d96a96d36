#include "harness/device/simt/request_log.h"

#include <bit>

#include "harness/device/simt/coalescing.h"

namespace tally::simt {
namespace {

/// A lane that never comes again must not keep a log growing.
constexpr std::uint32_t most_open_requests = 8192;

/// The GPU has no atomic of a lone half or bfloat16 in global memory: its machine code (sm_90) loads the word
/// around it, once, and compares and swaps that until it succeeds.
void count_load_before_loop(Site& site, const WarpAccess& access, Counters& counters) {
  constexpr std::uint64_t bytes_of_word = 4;
  const unsigned sectors = global_sectors(access);
  ++site.global_requests;
  site.sectors += sectors;
  ++counters.global_load_requests;
  counters.global_load_sectors += sectors;
  counters.global_load_bytes += static_cast<unsigned>(std::popcount(access.active)) * bytes_of_word;
}

}  // namespace

std::uint32_t RequestLog::add_site(const void* place, AccessKind kind, unsigned bytes) {
  auto site = std::make_unique<Site>();
  site->place = place;
  site->index = table_.add(place);
  site->kind = kind;
  site->bytes = static_cast<std::uint8_t>(bytes);
  sites_.push_back(std::move(site));
  return sites_.back()->index;
}

void RequestLog::flush(std::uint32_t running, Counters& counters) {
  std::size_t kept = 0;
  for (Site* site : touched_) {
    const std::uint32_t done =
        site->open.size() > most_open_requests ? site->open.size() : site->open.finished(running);
    for (std::uint32_t i = 0; i < done; ++i) count(*site, site->open[i], counters);
    site->open.drop(done);
    if (!site->open.empty()) touched_[kept++] = site;
  }
  touched_.resize(kept);
}

void RequestLog::count(Site& site, const Request& request, Counters& counters) {
  const bool is_atomic = site.kind == AccessKind::atomic || site.kind == AccessKind::atomic_loop;
  if (request.global != 0) {
    const WarpAccess access{request.global, site.bytes, request.addresses};
    const auto lanes = static_cast<unsigned>(std::popcount(request.global));
    const unsigned sectors = is_atomic ? global_atomic_sectors(access) : global_sectors(access);
    ++site.global_requests;
    site.sectors += sectors;
    if (site.kind == AccessKind::load) {
      ++counters.global_load_requests;
      counters.global_load_sectors += sectors;
      counters.global_load_bytes += std::uint64_t{lanes} * site.bytes;
    } else if (site.kind == AccessKind::store) {
      ++counters.global_store_requests;
      counters.global_store_sectors += sectors;
      counters.global_store_bytes += std::uint64_t{lanes} * site.bytes;
    } else {
      ++counters.global_atomic_requests;
      counters.global_atomic_sectors += sectors;
      counters.global_atomic_conflicts += address_conflicts(access);
      if (site.kind == AccessKind::atomic_loop && site.bytes == 2)
        count_load_before_loop(site, access, counters);
    }
  }
  if (request.shared != 0) {
    const WarpAccess access{request.shared, site.bytes, request.addresses};
    const SharedCost cost = site.kind == AccessKind::load     ? shared_load(access)
                            : site.kind == AccessKind::store  ? shared_store(access)
                            : site.kind == AccessKind::atomic ? shared_atomic(access)
                                                              : shared_atomic_loop(access);
    ++site.shared_requests;
    site.wavefronts += cost.wavefronts;
    site.bank_conflicts += cost.bank_conflicts;
    if (site.kind == AccessKind::load) {
      ++counters.shared_load_requests;
      counters.shared_load_wavefronts += cost.wavefronts;
      counters.shared_load_conflicts += cost.bank_conflicts;
    } else if (site.kind == AccessKind::store) {
      ++counters.shared_store_requests;
      counters.shared_store_wavefronts += cost.wavefronts;
      counters.shared_store_conflicts += cost.bank_conflicts;
    } else {
      ++counters.shared_atomic_requests;
      counters.shared_atomic_wavefronts += cost.wavefronts;
      counters.shared_atomic_conflicts += cost.bank_conflicts;
    }
  }
}

void RequestLog::forget_open() {
  for (Site* site : touched_) site->open.drop(site->open.size());
  touched_.clear();
}

void RequestLog::clear_costs() {
  for (const auto& site : sites_) {
    site->global_requests = site->sectors = 0;
    site->shared_requests = site->wavefronts = site->bank_conflicts = 0;
  }
}

}  // namespace tally::simt
