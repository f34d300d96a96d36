#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/measure/entrant.h"
#include "harness/measure/group.h"

namespace tally {

/// Passes everything on and remembers what was begun last, for the reason of a failure.
class Relay final : public Observer {
 public:
  Relay(Observer& target, std::string& activity) : target_(target), activity_(activity) {}
  void begin(const Cell& cell, const Activity& activity) override {
    activity_ = activity.what;
    target_.begin(cell, activity);
  }
  void turn(const Cell& cell, const Turn& turn) override { target_.turn(cell, turn); }
  void row(const Row& row) override { target_.row(row); }
  void failure(const Failure& failure) override { target_.failure(failure); }
  void warning(const std::string& text) override { target_.warning(text); }

 private:
  Observer& target_;
  std::string& activity_;
};

/// One group, from its inputs to its rows: the work behind measure_group().
class GroupRun {
 public:
  GroupRun(const GroupOrder& order, const GroupContext& context, Observer& observer)
      : order_(order), context_(context), observer_(observer) {}

  GroupOutcome run();

 private:
  // Before the clock: group.cpp.
  void gather();
  void make_arrays();
  void fill_inputs();
  void check(Entrant& entrant);
  void prepare(Entrant& entrant);

  /// False where the process must be replaced after it.
  bool guarded(Entrant& entrant, const std::function<void()>& step);
  void fail(Entrant& entrant, Failure::Status status, const std::string& reason);
  void fail_wrong(Entrant& entrant, const std::string& reason);

  // With the clock, and the rows: group_sampling.cpp.
  void make_contenders();
  bool sample(bool& stopped);  ///< true where the process must be replaced
  bool finish(Entrant& entrant);
  void give_out_rows();
  bool baselines_are_final(const Cell& cell) const;
  bool is_compared_with(const Cell& cell, const Cell& baseline) const;
  Row row_of(std::size_t index);
  std::map<std::string, Ratio> ratios_of(const Cell& cell, const Series& own) const;

  const GroupOrder& order_;
  const GroupContext& context_;
  Observer& observer_;
  std::string activity_;

  std::unique_ptr<Problem> problem_;
  std::map<DeviceKind, std::unique_ptr<ProblemArrays>> arrays_;  // outlive the entrants that use them
  std::vector<Entrant> entrants_;
  std::map<const Cell*, std::size_t> cells_of_;  ///< the entrant of each cell in the order
  std::map<std::string, Series> earlier_;        ///< samples taken by processes before this one
  ClockReader clock_reader_;
  std::vector<std::unique_ptr<CellSampler>> samplers_;
  std::vector<Contender> contenders_;
  std::vector<bool> given_out_;
};

}  // namespace tally
