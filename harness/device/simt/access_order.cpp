#include "harness/device/simt/access_order.h"

#include <algorithm>
#include <bit>

namespace tally::simt {

void AccessOrder::begin_launch() {
  now_ = 1;
  publications_.clear();
}

void AccessOrder::begin_block(std::uint32_t block, unsigned warps) {
  block_ = block;
  ++now_;
  barrier_ = fence_ = acquired_ = 0;
  if (warps_.size() < warps) warps_.resize(warps);
  for (unsigned w = 0; w < warps; ++w) {
    warps_[w].all = 0;
    warps_[w].pairs.reset();
  }
  fresh_fence_.assign(std::size_t{warps} * 32, false);
  fresh_fences_ = 0;
}

void AccessOrder::meeting(unsigned index, std::uint32_t arrived, std::uint32_t live) {
  WarpOrder& warp = warps_[index];
  const std::uint32_t time = ++now_;
  if ((live & ~arrived) == 0) {
    warp.all = time;
    return;
  }
  if (warp.pairs == nullptr) warp.pairs = std::make_unique<Pairs>();
  std::array<std::uint32_t, 32> known{};
  for (std::uint32_t rest = arrived; rest != 0; rest &= rest - 1) {
    const auto& of_lane = (*warp.pairs)[static_cast<unsigned>(std::countr_zero(rest))];
    for (unsigned other = 0; other < 32; ++other) known[other] = std::max(known[other], of_lane[other]);
  }
  for (unsigned other = 0; other < 32; ++other) {
    if (((arrived >> other) & 1) != 0) known[other] = time;
  }
  for (std::uint32_t rest = arrived; rest != 0; rest &= rest - 1) {
    (*warp.pairs)[static_cast<unsigned>(std::countr_zero(rest))] = known;
  }
}

void AccessOrder::fence(unsigned thread) {
  fence_ = ++now_;
  fresh_fences_ += fresh_fence_[thread] ? 0 : 1;
  fresh_fence_[thread] = true;
}

std::uint32_t AccessOrder::publish() {
  ++now_;
  if (fence_ != 0) {
    auto& publications = publications_[block_];
    if (publications.empty() || publications.back().covers < fence_) publications.push_back({fence_, now_});
  }
  return now_;
}

bool AccessOrder::ordered_between_blocks(const AccessNote& note) const {
  if ((note.flags & (AccessNote::atomic | AccessNote::published)) != 0 && note.time <= acquired_) return true;
  const auto found = publications_.find(note.block);
  if (found == publications_.end()) return false;
  // The first publication that covers the access is the earliest.
  const auto covering = std::find_if(found->second.begin(), found->second.end(),
                                     [&](const Publication& p) { return note.time < p.covers; });
  return covering != found->second.end() && covering->at <= acquired_;
}

}  // namespace tally::simt
