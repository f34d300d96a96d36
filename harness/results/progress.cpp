#include "harness/results/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "harness/results/text_table.h"

namespace tally {

Progress::Progress(bool wanted, std::size_t total_cells, double total_seconds)
    : wanted_(wanted && isatty(STDERR_FILENO) != 0),
      total_cells_(total_cells),
      total_seconds_(total_seconds) {}

double seconds_left(double share, double seconds, double estimate) {
  share = std::clamp(share, 0.0, 1.0);
  const double by_estimate = (1 - share) * estimate;
  if (share <= 0) return by_estimate;
  const double by_run = seconds / share * (1 - share);
  // A run is trusted by as much of it as has been seen, fully after a tenth.
  const double trust = std::min(10 * share, 1.0);
  return trust * by_run + (1 - trust) * by_estimate;
}

std::string progress_line(std::size_t cells_done, std::size_t total_cells, double left,
                          const std::string& doing, std::size_t width) {
  const std::string total = std::to_string(total_cells);
  std::string done = std::to_string(cells_done);
  done.insert(0, total.size() - std::min(total.size(), done.size()), ' ');
  return ("[" + done + "/" + total + "] " + wait_in_words(left) + " left  " + doing).substr(0, width);
}

void Progress::show(std::size_t cells_done, double share, double seconds, const std::string& doing) {
  if (!wanted_) return;
  winsize window{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
  const std::size_t width = known ? window.ws_col - 1U : 79;
  const double left = seconds_left(share, seconds, total_seconds_);
  std::fprintf(stderr, "\r\033[K%s", progress_line(cells_done, total_cells_, left, doing, width).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fprintf(stderr, "\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tally
