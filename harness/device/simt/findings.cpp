#include "harness/device/simt/findings.h"

#include "harness/device/simt/symbols.h"
#include "harness/device/simt/text.h"

namespace tally::simt {
bool FindingLog::is_new(FindingKind kind, const void* place, const void* other_place,
                        std::uint32_t launch_kernel) {
  const auto [entry, inserted] =
      known_.try_emplace({kind, place, other_place, launch_kernel}, counts_.size());
  if (inserted) counts_.push_back(0);
  ++counts_[entry->second];
  return inserted;
}

void FindingLog::add(RawFinding finding) { findings_.push_back(std::move(finding)); }

std::vector<Finding> FindingLog::resolved() const {
  std::vector<const void*> places;
  for (const RawFinding& raw : findings_) {
    places.push_back(raw.place);
    places.push_back(raw.other_place);
  }
  const std::vector<SourceLine> lines = source_lines(places);
  std::vector<Finding> result;
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    const RawFinding& raw = findings_[i];
    const SourceLine& line = lines[2 * i];
    Finding finding;
    finding.kind = raw.kind;
    finding.kernel = raw.kernel;
    finding.file = line.file;
    finding.line = line.line;
    finding.thread = raw.thread;
    finding.block = raw.block;
    finding.address = raw.address;
    finding.buffer = raw.buffer;
    finding.count = counts_[i];
    finding.message = raw.kernel + ": ";
    if (line.known()) finding.message += line.text() + ": ";
    finding.message += std::string(name_of(raw.kind)) + ": thread " + triple(raw.thread) + " of block " +
                       triple(raw.block) + " " + raw.what;
    if (!raw.other_what.empty()) {
      finding.message += ", which " + raw.other_what;
      if (lines[2 * i + 1].known()) finding.message += " at " + lines[2 * i + 1].text();
      finding.message += ", with nothing between that orders them";
    }
    result.push_back(std::move(finding));
  }
  return result;
}

void FindingLog::clear() {
  known_.clear();
  findings_.clear();
  counts_.clear();
}

}  // namespace tally::simt
