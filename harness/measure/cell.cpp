#include "harness/measure/cell.h"

namespace tally {

std::string Cell::name() const {
  // The problem's id begins with its family, and so does the entry's name.
  std::string text = entry->full_name() + problem.id().substr(problem.family.size());
  const std::string tuned = tuning.text();
  if (!tuned.empty()) text += "/" + tuned;
  return text + "/" + std::string(name_of(cache)) + "/" + std::string(name_of(clock));
}

}  // namespace tally
