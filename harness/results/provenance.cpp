#include "harness/results/provenance.h"

#include <ctime>

// Defined by the build for this file alone (cmake/TallyRevision.cmake).
#ifndef TALLY_VERSION
#define TALLY_VERSION "0"
#endif
#ifndef TALLY_GIT_REVISION
#define TALLY_GIT_REVISION ""
#endif
#ifndef TALLY_GIT_DIRTY
#define TALLY_GIT_DIRTY 0
#endif
#ifndef TALLY_COMPILER
#define TALLY_COMPILER "unknown"
#endif

namespace tally {

const BuildFacts& build_facts() {
  static const BuildFacts facts{TALLY_VERSION, TALLY_GIT_REVISION, TALLY_GIT_DIRTY != 0, TALLY_COMPILER};
  return facts;
}

std::string version_text() {
  const BuildFacts& facts = build_facts();
  std::string text = "harness " + facts.version;
  if (!facts.revision.empty()) {
    text += ", revision " + facts.revision.substr(0, 12) + (facts.dirty ? " with changes" : "");
  }
  return text + ", built by " + facts.compiler;
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace tally
