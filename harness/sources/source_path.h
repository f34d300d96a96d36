#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tally {

/// A source file's path as a reader of the repository knows it ("variants/FAMILY/SERIES.cu"), whatever folder
/// the repository was in and however the compiler was told the file's name; other paths as they are. Nothing
/// here depends on where a build happens, so that a compiler cache serves every clone.
inline std::string path_in_repository(std::string_view file) {
  constexpr std::string_view here = "harness/device/source_path.h";
  static const std::string root = [&] {
    const std::string path = std::filesystem::path(__FILE__).lexically_normal().string();
    return path.ends_with(here) ? path.substr(0, path.size() - here.size()) : std::string();
  }();
  std::string path = std::filesystem::path(file).lexically_normal().string();
  if (path.starts_with(root)) path.erase(0, root.size());
  while (path.starts_with("../")) path.erase(0, 3);
  return path;
}

}  // namespace tally
