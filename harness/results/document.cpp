#include "harness/results/document.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

namespace tally {
namespace {

[[noreturn]] void fail(const std::string& path) {
  const std::string reason = std::strerror(errno);
  throw ResultsError(path + ": cannot be written: " + reason +
                     "; the journal beside it has all rows, go on with --resume");
}

/// Writes all of it, however little each write() takes.
bool write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

void write_value(const Json& value, int depth, std::string& text);

void write_members(const Json& value, int depth, std::string& text) {
  const std::string margin(static_cast<std::size_t>(depth) * 2, ' ');
  bool first = true;
  for (const auto& [key, member] : value.items()) {
    text += first ? "\n" : ",\n";
    first = false;
    text += margin + "  ";
    if (value.is_object()) text += json_line(Json(key)) + ": ";
    write_value(member, depth + 1, text);
  }
  text += "\n" + margin;
}

void write_value(const Json& value, int depth, std::string& text) {
  const auto is_flat = [](const Json& json) {
    return std::none_of(json.begin(), json.end(), [](const Json& member) { return member.is_structured(); });
  };
  if (!value.is_structured() || value.empty() || (depth > 2 && is_flat(value))) {
    text += json_line(value);
    return;
  }
  text += value.is_object() ? "{" : "[";
  write_members(value, depth, text);
  text += value.is_object() ? "}" : "]";
}

/// Who answered which question, for the question's ratios: problem, cache state, clock and entry.
std::array<std::string, 4> answer_of(const Json& cell, const std::string& entry) {
  return {cell.at("problem"), cell.at("cache"), cell.at("clock"), entry};
}

/// The row without ratios to baselines that were `refuted`, in another repetition perhaps.
void drop_ratios(Json& row, const std::set<std::array<std::string, 4>>& refuted) {
  Json& cell = row.at("tally");
  const auto ratios = cell.find("ratios");
  if (ratios == cell.end() || refuted.empty()) return;
  Json kept = Json::object();
  for (const auto& [baseline, ratio] : ratios->items()) {
    if (!refuted.contains(answer_of(cell, baseline))) kept[baseline] = ratio;
  }
  if (kept.empty()) {
    cell.erase("ratios");
  } else {
    *ratios = kept;
  }
}

/// The devices by index, each with what it measured; "rows" counts those of the document.
Json devices_of(const JournalContent& content, const Json& rows) {
  std::map<std::string, int> measured;
  for (const Json& row : rows) {
    const auto place = content.places.find(
        {row.at("tally").at("problem").get<std::string>(), row.at("repetition_index").get<int>()});
    if (place != content.places.end()) ++measured[place->second];
  }
  std::vector<Json> devices;
  for (const auto& [identity, facts] : content.devices.items()) {
    devices.push_back(facts);
    devices.back().erase("device");  // the journal's key; kind and index, or the uuid, say the same
    devices.back()["rows"] = measured[identity];
  }
  std::stable_sort(devices.begin(), devices.end(), [](const Json& one, const Json& other) {
    return one.value("index", 0) < other.value("index", 0);
  });
  return Json(devices);
}

/// Those of the first device that has some, for readers who know of one device only.
Json ceilings_of(const Json& devices) {
  for (const Json& device : devices) {
    if (device.contains("ceilings")) return device.at("ceilings");
  }
  return nullptr;
}

}  // namespace

std::vector<Failure> all_failures(const DocumentHead& head, const JournalContent& content) {
  std::map<std::string, std::size_t> places;
  for (const CellPlace& cell : head.cells) places.emplace(cell.name, places.size());
  std::vector<Failure> failures;
  std::set<std::string> named;
  for (const Json& json : content.failures) {
    Failure failure = failure_from_json(json);
    if (places.contains(failure.cell) && named.insert(failure.cell).second)
      failures.push_back(std::move(failure));
  }
  std::stable_sort(failures.begin(), failures.end(), [&places](const Failure& one, const Failure& other) {
    return places.at(one.cell) < places.at(other.cell);
  });
  failures.insert(failures.end(), head.skipped.begin(), head.skipped.end());
  return failures;
}

Json make_document(const DocumentHead& head, const JournalContent& content) {
  const std::vector<Failure> failures = all_failures(head, content);
  std::set<std::string> failed;
  for (const Failure& failure : failures) failed.insert(failure.cell);
  std::map<std::string, std::map<int, const Json*>> rows;
  std::set<std::array<std::string, 4>> refuted;
  for (const Json& row : content.rows) {
    const std::string name = row.at("name");
    if (failed.contains(name)) {
      const Json& cell = row.at("tally");
      refuted.insert(answer_of(cell, cell.at("entry")));
    } else {
      rows[name][row.at("repetition_index").get<int>()] = &row;
    }
  }

  Json document{{"context", head.context}, {"benchmarks", Json::array()}, {"tally", head.tally}};
  for (const CellPlace& cell : head.cells) {
    const auto found = rows.find(cell.name);
    if (found == rows.end()) continue;
    for (const auto& [repetition, row] : found->second) {
      Json placed = *row;
      placed["family_index"] = cell.family_index;
      placed["per_family_instance_index"] = cell.per_family_instance_index;
      drop_ratios(placed, refuted);
      document["benchmarks"].push_back(std::move(placed));
    }
  }
  const Json devices = devices_of(content, document["benchmarks"]);
  if (const Json ceilings = ceilings_of(devices); !ceilings.is_null())
    document["tally"]["ceilings"] = ceilings;
  document["tally"]["devices"] = devices;
  document["tally"]["failures"] = Json::array();
  for (const Failure& failure : failures) document["tally"]["failures"].push_back(to_json(failure));
  return document;
}

std::string document_text(const Json& document) {
  std::string text;
  write_value(document, 0, text);
  return text + "\n";
}

void write_whole(const std::string& path, const std::string& text) {
  const std::string beside = path + ".part";
  const int descriptor = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(beside);
  const bool written = write_all(descriptor, text) && fsync(descriptor) == 0;
  const int reason = errno;
  close(descriptor);
  if (!written || std::rename(beside.c_str(), path.c_str()) != 0) {
    const int kept = written ? errno : reason;
    unlink(beside.c_str());
    errno = kept;
    fail(path);
  }
  // The new name itself must reach the disk too.
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const int directory = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory >= 0) {
    fsync(directory);
    close(directory);
  }
}

}  // namespace tally
