#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/sweep/plan.h"

namespace tally {

/// One of `count` parts of a plan, counted from 0.
struct Shard {
  int index = 0;
  int count = 1;
  auto operator<=>(const Shard&) const = default;
};

/// "2/4". Throws ConfigError.
Shard parse_shard(const std::string& text);

/// The shard that the command line or Slurm's array asks for; the whole plan where neither does.
///
/// A job array without --shard must be whole, 0 … n-1 or 1 … n; then task i takes shard i. An array with
/// other numbers (sbatch --array=3,7, to repeat two shards of eight) says --shard $SLURM_ARRAY_TASK_ID/8
/// itself. `environment` looks a variable up. Throws ConfigError where both are given and contradict one
/// another.
Shard choose_shard(const std::optional<std::string>& argument,
                   const std::function<std::optional<std::string>(const std::string& name)>& environment);

/// The shard in which a problem is measured. A function of the problem and of the number of shards alone: not
/// of the rest of the config, not of the machine.
///
/// How long a problem takes follows from its size and kind, so problems that are neighbours in them are dealt
/// out evenly: the family's hash is a point on a circle; log2(n), the type and each knob turn it by
/// irrational fractions, whose multiples leave no gaps and no heaps; the shard is the sector in which it
/// ends. That is as even as it gets while no problem may know of the others; it does not know times, and one
/// very long problem still makes one long shard.
int shard_of(const ProblemKey& problem, int count);

/// The part of the plan that is the shard's. May be empty.
Plan sharded(const Plan& plan, const Shard& shard);

}  // namespace tally
