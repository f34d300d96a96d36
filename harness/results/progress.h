#pragma once

#include <cstddef>
#include <string>

namespace tally {

/// The one line on a terminal that says how far a run is. Nothing where the stream is no terminal.
class Progress {
 public:
  /// `total_seconds` is the plan's estimate; what has passed takes its place as the run goes on.
  Progress(bool wanted, std::size_t total_cells, double total_seconds);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the estimated work is done after `seconds`; `doing` is what is in progress.
  void show(std::size_t cells_done, double share, double seconds, const std::string& doing);

  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  bool wanted_;
  std::size_t total_cells_;
  double total_seconds_;
  bool shown_ = false;
};

/// "[ 12/120] 34 s left  check at n = 31, uniform of <entry>": what show() prints, cut to `width`.
std::string progress_line(std::size_t cells_done, std::size_t total_cells, double seconds_left,
                          const std::string& doing, std::size_t width);

/// Seconds left: at first by the estimate, in the end by what the run itself has shown.
double seconds_left(double share, double seconds, double estimate);

}  // namespace tally
