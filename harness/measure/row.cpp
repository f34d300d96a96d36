#include "harness/measure/row.h"

namespace tally {

std::string_view name_of(Failure::Status status) {
  switch (status) {
    case Failure::Status::skipped:
      return "skipped";
    case Failure::Status::wrong:
      return "wrong";
    case Failure::Status::crashed:
      return "crashed";
    case Failure::Status::timed_out:
      return "timed_out";
    case Failure::Status::known_wrong:
      return "known_wrong";
  }
  return "";
}

}  // namespace tally
