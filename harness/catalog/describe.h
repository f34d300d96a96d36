#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/catalog/catalog.h"

namespace tally {

/// The text in lines of at most 100 characters, each after `margin`.
std::string wrapped_text(const std::string& text, const std::string& margin);

/// What --list prints: all entries by family and series, each with the devices that it can run on here and
/// its types.
std::string list_of_entries(const Catalog& catalog);

/// What --describe prints: lesson, source, place, what it follows, types, knobs, tunables and their limits,
/// needs, flags, cost model for an example, published figures.
std::string description_of(const Entry& entry);

/// The entry's measured gain over the stage that it follows, from a results file: a line for each problem,
/// cache and clock that has both, best tuning against best tuning. `name` is what the text calls the file.
std::string measured_gain(const Entry& entry, const nlohmann::json& results, const std::string& name);

}  // namespace tally
