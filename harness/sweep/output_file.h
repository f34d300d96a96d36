#pragma once

#include <string>

#include "harness/sweep/shard.h"

namespace tally {

/// Where results go when nobody says: results/<the config's name>.json, with the shard in the name where
/// there are several.
std::string default_output(const std::string& config_file, const Shard& shard);

/// Throws ConfigError unless a results file can be put there: tried with a file beside it, which is removed
/// again. What stands there already is not touched. The folder must exist, but for the default's `results`,
/// which is made.
void require_writable(const std::string& out_path, bool is_default);

}  // namespace tally
