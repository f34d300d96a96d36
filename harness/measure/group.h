#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/measure/checker.h"
#include "harness/measure/observer.h"

namespace tally {

/// What is to be done of a group now.
struct GroupOrder {
  const Group* group = nullptr;
  std::vector<std::size_t> cells;  ///< of the group, those that have neither row nor failure
  int repetition = 0;
  int repetitions = 1;
  /// Turns that were taken before, by cell's name; of cells that are done too, which others are compared
  /// with.
  std::map<std::string, std::vector<Turn>> turns;
};

/// What all groups of a run share.
struct GroupContext {
  MeasureSettings measure;
  Checker& checker;
  DeviceOf device_of;
  std::optional<Ceilings> ceilings;
};

enum class GroupOutcome : std::uint8_t {
  done,     ///< every cell of the order has its row or its failure
  stopped,  ///< it was asked to stop; what is missing can be taken up from the turns
  spoilt,   ///< this process cannot be trusted any more; a fresh one must take up the rest
};

/// Makes the inputs, checks every entry, measures in random rounds, checks again; rows and failures go to the
/// observer as soon as they are certain.
GroupOutcome measure_group(const GroupOrder& order, const GroupContext& context, Observer& observer);

/// Measured times of a simt cell mean nothing, so one sample is taken; elsewhere the settings as they are.
MeasureSettings settings_for(const MeasureSettings& settings, DeviceKind device);

}  // namespace tally
