#include "harness/results/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

namespace tally {
namespace {

constexpr std::string_view header_begins = R"({"kind":"header")";

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw ResultsError(path + ": " + what + ": " + std::strerror(errno));
}

/// Forgets what there is of the cells that begin afresh.
void take_place(const Json& held, JournalContent& content) {
  const int repetition = held.at("repetition");
  content.places[{held.at("problem"), repetition}] = held.at("device");
  for (const Json& cell : held.at("afresh")) {
    content.turns.erase({cell.get<std::string>(), repetition});
    std::erase_if(content.rows, [&](const Json& row) {
      return row.at("name") == cell && row.at("repetition_index") == repetition;
    });
  }
}

void take_line(const Json& line, JournalContent& content) {
  const std::string kind = line.at("kind");
  const Json& held = line.at("content");
  if (kind == "header") content.header = held;
  if (kind == "row") content.rows.push_back(held);
  if (kind == "failures") content.failures.insert(content.failures.end(), held.begin(), held.end());
  if (kind == "place") take_place(held, content);
  if (kind == "device") content.devices[held.at("device").get<std::string>()].update(held);
  if (kind == "ceilings") {
    content.devices[held.at("device").get<std::string>()]["ceilings"] = held.at("ceilings");
  }
  if (kind == "turn") {
    content.turns[{held.at("cell"), held.at("repetition")}].push_back(turn_from_json(held.at("turn")));
  }
}

}  // namespace

bool never_began(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  const bool ended = std::getline(file, line) && !file.eof();
  const std::size_t same = std::min(line.size(), header_begins.size());
  return !ended && line.compare(0, same, header_begins, 0, same) == 0;
}

JournalContent read_journal(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be read");
  std::stringstream all;
  all << file.rdbuf();
  const std::string text = all.str();
  JournalContent content;
  std::size_t start = 0;
  for (int number = 1;; ++number) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;  // torn by a kill: that line was never finished
    const Json line = Json::parse(text.begin() + static_cast<std::ptrdiff_t>(start),
                                  text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    try {
      if (line.is_discarded()) throw std::invalid_argument("not JSON");
      take_line(line, content);
    } catch (const std::exception& error) {
      // A machine that lost its power may leave zeros where the last line was to be.
      if (end + 1 == text.size() && number > 1) break;
      throw ResultsError(path + ": line " + std::to_string(number) + " is not one of a journal (" +
                         error.what() + "); move the file away to start afresh");
    }
    start = end + 1;
    content.whole_bytes = static_cast<std::int64_t>(start);
  }
  if (content.header.is_null()) throw ResultsError(path + " is not a journal: it has no header line");
  return content;
}

Journal Journal::begin(const std::string& path, const JournalHeader& header) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(path, "cannot be written");
  Journal journal(path, descriptor, 0);
  journal.append("header", header, true);
  return journal;
}

Journal Journal::go_on(const std::string& path, std::int64_t whole_bytes) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) fail(path, "cannot be written");
  Journal journal(path, descriptor, whole_bytes);
  if (ftruncate(descriptor, whole_bytes) != 0) fail(path, "cannot be written");
  return journal;
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_) {}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

void Journal::turn(const std::string& cell, int repetition, const Json& turn) {
  // Not synchronised: a killed process loses nothing that was written, only a machine without power does.
  append("turn", {{"cell", cell}, {"repetition", repetition}, {"turn", turn}}, false);
}

void Journal::place(const ProblemPlace& problem, const std::string& device,
                    const std::vector<std::string>& afresh) {
  append("place",
         {{"problem", problem.first}, {"repetition", problem.second}, {"device", device}, {"afresh", afresh}},
         false);
}

void Journal::append(const char* kind, const Json& content, bool synchronise) {
  const std::string line = json_line({{"kind", kind}, {"content", content}}) + "\n";
  const ssize_t written = pwrite(descriptor_, line.data(), line.size(), bytes_);
  const bool whole = written == static_cast<ssize_t>(line.size());
  if (!whole || (synchronise && fdatasync(descriptor_) != 0)) {
    if (written >= 0 && !whole) errno = ENOSPC;
    const int reason = errno;
    if (ftruncate(descriptor_, bytes_) != 0) errno = reason;
    errno = reason;
    fail(path_, "cannot be written; all rows before are kept, go on with --resume");
  }
  bytes_ += static_cast<std::int64_t>(line.size());
}

std::string difference_between(const JournalHeader& found, const JournalHeader& mine) {
  std::string text;
  for (const auto& [key, value] : mine.items()) {
    const Json other = found.value(key, Json());
    if (other == value) continue;
    const auto shown = [](const Json& json) {
      return json.is_string() ? json.get<std::string>() : json.dump();
    };
    text += (text.empty() ? "" : "; ") + key + " was " + shown(other) + ", is " + shown(value);
  }
  return text;
}

}  // namespace tally
