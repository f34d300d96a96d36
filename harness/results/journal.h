#pragma once

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/results/row_json.h"

namespace tally {

/// The results cannot be written or read: a full disk, a file that is no journal. One line for a person.
class ResultsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What must be equal for a journal to be gone on with. JSON strings by name: config_hash, plan_hash, device
/// (its kind), git_revision, schema_version.
using JournalHeader = Json;

/// A problem's id in one repetition: what one device measures as a whole.
using ProblemPlace = std::pair<std::string, int>;

/// A cell in one repetition.
using CellTurns = std::map<std::pair<std::string, int>, std::vector<Turn>>;

/// What a journal holds, read back.
struct JournalContent {
  JournalHeader header;
  std::vector<Json> rows;      ///< as they will stand in `benchmarks`
  std::vector<Json> failures;  ///< with further keys of the run that wrote them
  CellTurns turns;
  std::map<ProblemPlace, std::string> places;  ///< the identity of the device on which it was measured last
  Json devices =
      Json::object();  ///< by identity: what each says of itself; "ceilings" where they were measured
  std::int64_t whole_bytes = 0;  ///< up to the end of the last whole line
};

/// True of a journal whose first line was never finished: by a kill, or for want of room on the disk.
bool never_began(const std::string& path);

/// Reads a journal. A last line that was torn by a kill is passed over. Throws ResultsError where the file
/// cannot be read or is not a journal.
JournalContent read_journal(const std::string& path);

/// Appends one JSON line after the other. Each line is written by one write(); after a row or a failure the
/// file is synchronised with the disk before append() returns.
class Journal {
 public:
  /// Begins a new journal, in place of one that is there.
  static Journal begin(const std::string& path, const JournalHeader& header);

  /// Goes on with one whose first `whole_bytes` are to be kept.
  static Journal go_on(const std::string& path, std::int64_t whole_bytes);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  /// Throws ResultsError where the disk is full; the journal then ends with the last whole line.
  void row(const Json& row) { append("row", row, true); }
  /// All of them or none, as one line: what one lost process stands for is not taken apart.
  void failures(const std::vector<Json>& failures) { append("failures", Json(failures), true); }
  void turn(const std::string& cell, int repetition, const Json& turn);
  /// From here on the problem is measured on that device. What stands above of the cells that are to be
  /// measured `afresh`, in that repetition, does not count any more.
  void place(const ProblemPlace& problem, const std::string& device, const std::vector<std::string>& afresh);
  /// `device` is an identity, and the key of the same name in `facts`.
  void ceilings(const std::string& device, const Json& ceilings) {
    append("ceilings", {{"device", device}, {"ceilings", ceilings}}, true);
  }
  void device(const Json& facts) { append("device", facts, true); }

  int descriptor() const { return descriptor_; }

 private:
  Journal(std::string path, int descriptor, std::int64_t bytes)
      : path_(std::move(path)), descriptor_(descriptor), bytes_(bytes) {}
  void append(const char* kind, const Json& content, bool synchronise);

  std::string path_;
  int descriptor_;
  std::int64_t bytes_;
};

/// Why a journal of `found` cannot be gone on with by a run of `mine`: names every difference with both
/// values. Empty where it can.
std::string difference_between(const JournalHeader& found, const JournalHeader& mine);

}  // namespace tally
