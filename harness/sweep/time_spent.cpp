#include "harness/sweep/time_spent.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/results/text_table.h"

namespace tally {

std::string account_of(const Activity& activity) {
  if (!activity.what.starts_with("check")) return activity.what;
  return activity.scope == Activity::Scope::entry ? "checks at small sizes"
                                                  : "checks of the measured problems";
}

void TimeSpent::on(const std::string& account, Instant now) {
  if (!account_.empty()) seconds_[account_] += std::chrono::duration<double>(now - since_).count();
  account_ = account;
  since_ = now;
}

std::string time_in_words(double wall, const std::map<std::string, double>& seconds) {
  std::vector<std::pair<double, std::string>> accounts;
  double all = 0;
  for (const auto& [account, spent] : seconds) {
    accounts.emplace_back(spent, account);
    all += spent;
  }
  std::sort(accounts.rbegin(), accounts.rend());
  std::string text = wait_in_words(wall);
  for (const auto& [spent, account] : accounts) {
    const long share = std::lround(100 * spent / all);
    if (share == 0) break;
    const bool first = account == accounts.front().second;
    text += (first ? "; of the workers' time " : ", ") + std::to_string(share) + "% " + account;
  }
  return text;
}

}  // namespace tally
