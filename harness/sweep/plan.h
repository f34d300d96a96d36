#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/catalog/catalog.h"
#include "harness/device/facts.h"
#include "harness/measure/cell.h"
#include "harness/sweep/config.h"

namespace tally {

/// A cell that the config asks for and its entry refuses, with the entry's own reason ("needs power-of-two
/// n").
struct SkippedCell {
  Cell cell;
  std::string reason;
};

/// Cells that the config asks for and this device cannot have.
struct LeftOut {
  enum class Why : std::uint8_t { size, entry };
  Why why = Why::entry;
  ProblemKey problem;
  std::string what;    ///< the entry's full name
  std::string reason;  ///< "beyond simt.max_n = 65536", "needs CUDA"
  std::size_t cells = 0;
};

/// What a run does. Groups stand in the order of the config; a problem that several runs ask for has one
/// group.
struct Plan {
  std::vector<Group> groups;
  std::vector<SkippedCell> skipped;
  std::vector<LeftOut> left_out;

  std::size_t cells() const;            ///< in all groups
  std::size_t cells_too_large() const;  ///< left out for their size
};

/// Expands the config for a device. `facts` says what that device can hold (memory_bytes, compute_capability;
/// a 0 is not held against anything). On `cuda` entries run there; on `simt` variants run there and baselines
/// on `host`; on `host` only what runs there.
///
/// Throws ConfigError: globs that match nothing, entries that cannot do what they are named for, impossible
/// tunings, problems that cannot be made or do not fit into the memory, an empty plan.
Plan make_plan(const Sweep& sweep, DeviceKind device, const DeviceFacts& facts,
               const Catalog& catalog = Catalog::instance());

/// Keeps the cells whose name the regular expression (ECMAScript) finds. Throws ConfigError where it is not
/// one, or finds none.
Plan filtered(const Plan& plan, const std::string& expression);

}  // namespace tally
