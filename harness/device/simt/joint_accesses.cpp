#include "harness/device/simt/joint_accesses.h"

#include <algorithm>
#include <bit>

namespace tally::simt {
namespace {

JointAccess joined(const Way& way, Event& event, std::uint32_t index, const Site& site, const Ways& ways) {
  JointAccess joint{&site, &event, way.lanes, index};
  const auto first = static_cast<unsigned>(std::countr_zero(way.lanes));
  joint.lowest = joint.end = ways.addresses(first)[index];
  joint.of_lane_0 = joint.lowest - std::uint64_t{first} * site.bytes;
  std::uint64_t misplaced = 0, misaligned = 0;
  for (std::uint32_t rest = way.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::uint64_t address = ways.addresses(lane)[index];
    joint.lowest = std::min(joint.lowest, address);
    joint.end = std::max(joint.end, address);
    misaligned |= address & (site.bytes - 1u);
    misplaced |= address - joint.of_lane_0 - std::uint64_t{lane} * site.bytes;
  }
  joint.end += site.bytes;
  joint.in_line = misplaced == 0;
  joint.aligned = misaligned == 0;
  return joint;
}

/// Whether no lane of the one touches what another lane of the other does.
bool keep_apart(const JointAccess& a, const JointAccess& b) {
  if (a.end <= b.lowest || b.end <= a.lowest) return true;
  const unsigned bytes = a.site->bytes;
  if (!a.in_line || !b.in_line || bytes != b.site->bytes) return false;
  const auto distance = static_cast<std::int64_t>(a.of_lane_0 - b.of_lane_0);
  if (distance % static_cast<int>(bytes) != 0) return false;
  const std::int64_t shift = distance / static_cast<int>(bytes);
  if (shift == 0 || shift >= 32 || shift <= -32) return true;  // each lane at its own word, or far away
  return ((shift > 0 ? a.lanes << shift : a.lanes >> -shift) & b.lanes) == 0;
}

}  // namespace

bool JointAccesses::find(const Ways& ways, const RequestLog& requests) {
  all_.clear();
  stores_.clear();
  bool simple = true;
  for (const Way& way : ways) {
    std::uint32_t index = 0;
    for (Event& event : way.events) {
      if (event.kind() == Event::Kind::code) continue;
      if (event.kind() == Event::Kind::fence) return false;
      const Site& site = *requests.sites()[event.index()];
      simple &= site.kind == AccessKind::load || (site.kind == AccessKind::store && site.bytes >= 4);
      if (!simple) return false;
      all_.push_back(joined(way, event, index++, site, ways));
      simple &= all_.back().aligned && (site.kind == AccessKind::load || all_.back().in_line);
    }
  }
  return simple && stores_keep_apart();
}

bool JointAccesses::stores_keep_apart() {
  for (const JointAccess& joint : all_) {
    if (joint.site->kind == AccessKind::store) stores_.push_back(&joint);
  }
  if (stores_.empty()) return true;
  const auto lower = [](const JointAccess* a, const JointAccess* b) { return a->lowest < b->lowest; };
  if (!std::is_sorted(stores_.begin(), stores_.end(), lower))
    std::sort(stores_.begin(), stores_.end(), lower);
  std::uint64_t longest = 0;
  for (const JointAccess* store : stores_) longest = std::max(longest, store->end - store->lowest);
  for (const JointAccess& joint : all_) {
    const std::uint64_t from = joint.lowest - std::min(joint.lowest, longest);
    auto store =
        std::lower_bound(stores_.begin(), stores_.end(), from,
                         [](const JointAccess* a, std::uint64_t lowest) { return a->lowest < lowest; });
    for (; store != stores_.end() && (*store)->lowest < joint.end; ++store) {
      if (!keep_apart(joint, **store)) return false;
    }
  }
  return true;
}

}  // namespace tally::simt
