#include "harness/sweep/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "harness/sweep/config.h"

namespace tally {

std::string default_output(const std::string& config_file, const Shard& shard) {
  std::string name = std::filesystem::path(config_file).stem().string();
  if (shard.count > 1) name += ".shard-" + std::to_string(shard.index) + "-of-" + std::to_string(shard.count);
  return "results/" + name + ".json";
}

void require_writable(const std::string& out_path, bool is_default) {
  const auto cannot = [&out_path](const std::string& why) {
    return ConfigError("cannot write the results to " + out_path + ": " + why);
  };
  const std::filesystem::path path(out_path);
  std::error_code ignored;
  if (out_path.empty() || !path.has_filename()) throw cannot("a file name is missing");
  if (path.extension() == ".gz")
    throw cannot(
        "the harness does not compress; `python -m analysis thin` does, from a file that it has written");
  if (std::filesystem::is_directory(path, ignored)) throw cannot("it is a folder");
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    throw cannot("it is not a regular file");
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (is_default) std::filesystem::create_directories(folder, ignored);
  if (!std::filesystem::is_directory(folder, ignored)) throw cannot("there is no folder " + folder.string());
  // The results come into being beside their place, and so does this.
  const std::string probe = out_path + ".probe-" + std::to_string(::getpid());
  const int file = ::open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0) throw cannot(std::strerror(errno));
  ::close(file);
  ::unlink(probe.c_str());
}

}  // namespace tally
