/// \file
/// How messages write indices and extents.
#pragma once

#include <string>

#include "harness/device/simt/types.h"

namespace tally::simt {

inline std::string triple(dim3 v) {
  return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

}  // namespace tally::simt
