#pragma once

#include <string>

namespace tally {

/// Which source and which compiler this program was built from.
struct BuildFacts {
  std::string version;   ///< "0.1.0"
  std::string revision;  ///< git's, 40 hex digits; empty outside a checkout
  bool dirty = false;    ///< tracked files differed from that revision when it was configured
  std::string compiler;  ///< "GNU 12.2.0"
};

const BuildFacts& build_facts();

/// What --version prints.
std::string version_text();

/// Now, as ISO 8601 in UTC: "2026-02-01T12:34:56Z".
std::string timestamp();

}  // namespace tally
