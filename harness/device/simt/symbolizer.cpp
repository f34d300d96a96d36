// Source lines, by running llvm-symbolizer or addr2line on the program's own file.
#include "harness/device/simt/symbolizer.h"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

#include "harness/device/simt/symbols.h"
#include "harness/sources/source_path.h"

namespace tally::simt {
namespace {

namespace fs = std::filesystem;

const std::string& symbolizer_command() {
  static const std::string command = [] {
    const auto runs = [](const std::string& name) {
      return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
    };
    for (const char* suffix : {"", "-20", "-19", "-18", "-17", "-16", "-15", "-14"}) {
      const std::string name = std::string("llvm-symbolizer") + suffix;
      if (runs(name)) return name + " --output-style=GNU --addresses --functions=none --inlines --exe=";
    }
    return runs("addr2line") ? std::string("addr2line -a -i -e ") : std::string();
  }();
  return command;
}

/// The executor's and the system's headers are not what a kernel's author wrote: their line is not the place.
bool is_inlined_from_elsewhere(const std::string& file) {
  return file.starts_with("/usr/") ||
         (file.find("harness/device/simt/") != std::string::npos && file.find("tests/") == std::string::npos);
}

/// "file:12" or "file:12:3" or "file:12 (discriminator 4)".
SourceLine parse(const std::string& text) {
  if (text.starts_with("?")) return {};
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.find(':', slash == std::string::npos ? 0 : slash);
  if (colon == std::string::npos) return {};
  const int line = std::atoi(text.c_str() + colon + 1);
  if (line <= 0) return {};
  return {text.substr(0, colon), line};
}

/// Each answer begins with its address, because an inlined place has several lines.
void ask(const std::string& module, const std::vector<std::uintptr_t>& addresses,
         std::vector<SourceLine>& answers) {
  const std::string command = symbolizer_command();
  answers.assign(addresses.size(), {});
  if (command.empty() || addresses.empty()) return;
  std::string path = (fs::temp_directory_path() / "tally-places-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0) return;
  std::ostringstream input;
  for (const std::uintptr_t address : addresses) input << "0x" << std::hex << address << "\n";
  const std::string text = input.str();
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  std::string program = module;
  if (program == "/proc/self/exe") program = fs::read_symlink(program).string();
  FILE* pipe =
      written ? popen((command + "'" + program + "' < " + path + " 2>/dev/null").c_str(), "r") : nullptr;
  std::size_t index = 0;  // of the answer being read, from 1
  std::array<char, 4096> buffer;
  while (pipe != nullptr && std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
    std::string line = buffer.data();
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
    if (line.starts_with("0x")) {
      ++index;
    } else if (index >= 1 && index <= answers.size()) {
      SourceLine& answer = answers[index - 1];
      const SourceLine found = parse(line);
      if (found.known() && (!answer.known() || is_inlined_from_elsewhere(answer.file))) answer = found;
    }
  }
  if (pipe != nullptr) pclose(pipe);
  std::remove(path.c_str());
}

}  // namespace

std::vector<SourceLine> source_lines(std::span<const void* const> places) {
  static std::mutex mutex;
  static auto* known = new std::map<const void*, SourceLine>;
  const std::lock_guard lock(mutex);
  std::map<std::string, std::pair<std::vector<std::uintptr_t>, std::vector<const void*>>> unknown;
  for (const void* place : places) {
    if (place == nullptr || known->contains(place)) continue;
    known->emplace(place, SourceLine{});
    const Module module = module_of(place);
    if (module.path.empty()) continue;
    auto& [addresses, of] = unknown[module.path];
    addresses.push_back(reinterpret_cast<std::uintptr_t>(place) - module.base - 1);  // into the call itself
    of.push_back(place);
  }
  for (const auto& [path, request] : unknown) {
    std::vector<SourceLine> answers;
    ask(path, request.first, answers);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i].known())
        (*known)[request.second[i]] = {path_in_repository(answers[i].file), answers[i].line};
    }
  }
  std::vector<SourceLine> lines;
  lines.reserve(places.size());
  for (const void* place : places) lines.push_back(place == nullptr ? SourceLine{} : (*known)[place]);
  return lines;
}

SourceLine source_line(const void* place) {
  const void* const one[] = {place};
  return source_lines(one).front();
}

}  // namespace tally::simt
