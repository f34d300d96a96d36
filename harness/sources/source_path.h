#pragma once

#include <string>
#include <string_view>

namespace tally {

/// A source file's path as a reader of the repository knows it ("variants/FAMILY/SERIES.cu"), whatever folder
/// the repository was in and however the compiler was told the file's name: whole, or relatively, as a
/// compiler cache that serves several clones tells it. Other paths as they are.
std::string path_in_repository(std::string_view file);

/// The folder of that repository when the harness was built, with a "/" at its end.
std::string repository_when_built();

}  // namespace tally
