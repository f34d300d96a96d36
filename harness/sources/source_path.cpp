#include "harness/sources/source_path.h"

#include <filesystem>

namespace tally {

std::string repository_when_built() { return TALLY_SOURCE_ROOT; }

std::string path_in_repository(std::string_view file) {
  std::string path = std::filesystem::path(file).lexically_normal().string();
  const std::string root = repository_when_built();
  if (path.starts_with(root)) path.erase(0, root.size());
  while (path.starts_with("../")) path.erase(0, 3);
  return path;
}

}  // namespace tally
