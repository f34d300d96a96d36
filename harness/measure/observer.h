#pragma once

#include <string>

#include "harness/measure/cell.h"
#include "harness/measure/row.h"
#include "harness/measure/sampler.h"

namespace tally {

/// What is going on with a cell, said before it begins: if the process ends in it, this is what is known.
struct Activity {
  /// How much would fail in the same way: this cell, all cells of this entry and tuning on the problem, or on
  /// every problem of the same type and knobs.
  enum class Scope : std::uint8_t { cell, problem, entry };
  std::string what;  ///< "check at n = 31, uniform"
  Scope scope = Scope::cell;
  double expected_seconds = 0;  ///< for the watchdog; 0 where nothing is known
};

/// Is told what happens while a group is measured. A worker process passes it on to its parent.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const Cell& cell, const Activity& activity) = 0;
  virtual void turn(const Cell& cell, const Turn& turn) = 0;
  virtual void row(const Row& row) = 0;
  virtual void failure(const Failure& failure) = 0;
  virtual void warning(const std::string& text) = 0;

  /// Asked between turns: shall the sampling end with the cell that is in progress?
  virtual bool stop_requested() { return false; }
};

}  // namespace tally
