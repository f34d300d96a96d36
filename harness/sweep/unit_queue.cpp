#include "harness/sweep/unit_queue.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace tally {
namespace {

/// Of what each worker has still to do: units that are longer are the first to be begun.
constexpr double share_that_is_long = 0.15;

std::string kind_of(ProblemKey problem) {
  problem.n = 0;
  return problem.id();
}

}  // namespace

UnitQueue::UnitQueue(const Plan& plan, std::vector<double> weights, const std::vector<WorkUnit>& units,
                     std::size_t workers)
    : weights_(std::move(weights)), units_(units), had_(workers) {
  std::map<std::string, std::size_t> numbers;
  for (const Group& group : plan.groups)
    kinds_.push_back(numbers.try_emplace(kind_of(group.problem), numbers.size()).first->second);
  count_of_kinds_ = numbers.size();
}

std::optional<WorkUnit> UnitQueue::take(std::size_t worker) {
  const std::size_t best = best_for(worker);
  if (best == units_.size()) return std::nullopt;
  const WorkUnit unit = units_[best];
  units_.erase(units_.begin() + static_cast<std::ptrdiff_t>(best));
  owners_[unit.group] = worker;
  had_[worker].insert(kinds_[unit.group]);
  return unit;
}

bool UnitQueue::is_free_for(const WorkUnit& unit, std::size_t worker) const {
  const auto owner = owners_.find(unit.group);
  return owner == owners_.end() || owner->second == worker;
}

std::size_t UnitQueue::best_for(std::size_t worker) const {
  if (had_.size() == 1) return 0;
  const std::vector<double> needs = needs_of_kinds();
  double waiting = 0;
  for (const WorkUnit& unit : units_) {
    if (!owners_.contains(unit.group)) waiting += weights_[unit.group];
  }
  const double long_one = share_that_is_long * waiting / static_cast<double>(had_.size());
  // What is greater comes first.
  const auto rank = [&](const WorkUnit& unit) {
    const std::size_t kind = kinds_[unit.group];
    const double weight = weights_[unit.group];
    return std::tuple(-unit.repetition, owners_.contains(unit.group), weight > long_one ? weight : 0,
                      had_[worker].contains(kind), needs[kind], weight);
  };
  std::size_t best = units_.size();
  for (std::size_t place = 0; place < units_.size(); ++place) {
    if (!is_free_for(units_[place], worker)) continue;
    if (best == units_.size() || rank(units_[place]) > rank(units_[best])) best = place;
  }
  return best;
}

/// The waiting seconds of each kind, for each worker that has had it and one more.
std::vector<double> UnitQueue::needs_of_kinds() const {
  std::vector<double> needs(count_of_kinds_, 0.0);
  for (const WorkUnit& unit : units_) {
    if (!owners_.contains(unit.group)) needs[kinds_[unit.group]] += weights_[unit.group];
  }
  for (std::size_t kind = 0; kind < count_of_kinds_; ++kind) {
    const auto workers =
        std::count_if(had_.begin(), had_.end(), [kind](const auto& had) { return had.contains(kind); });
    needs[kind] /= static_cast<double>(workers + 1);
  }
  return needs;
}

void UnitQueue::put_back(const WorkUnit& unit) { units_.insert(units_.begin(), unit); }

void UnitQueue::release(std::size_t worker) {
  std::erase_if(owners_, [worker](const auto& owner) { return owner.second == worker; });
}

}  // namespace tally
