#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <optional>

namespace tally::cuda {

/// Where the next kernel launch of a context stands among the four that the GPU deals with together.
///
/// From two of the four places, two kernels behind one another take 0.9 µs longer on an H200, as seen from a
/// cold cache in a stream that was held back; from the two others they do not, and a kernel alone never does.
/// Only launches move the place: events and small memsets do not. So a call of two launches, behind a flush
/// and a hold, stands at one place in all samples of a turn, and which one that is depends on what the
/// process did before: two processes differ by it. A program's calls come from all of them. So do the timed
/// ones: each sample is the mean of calls from every place.
///
/// The place is found by timing: nothing tells where a context stands. Where no such pattern is seen, as may
/// be on another GPU or driver, nothing is done.
class LaunchCycle {
 public:
  static constexpr int length = 4;

  /// What it does to the stream.
  struct Stream {
    /// Seconds of two empty kernels, timed as any call from a cold cache: `lead` launches, then these two.
    std::function<double()> time_pair;
    std::function<void()> launch_empty;
    int lead = 0;
  };

  explicit LaunchCycle(Stream stream) : stream_(std::move(stream)) {}

  /// False from the moment on at which no pattern was seen `most_misses` times in a row.
  bool is_looked_for() const { return misses_ < most_misses; }

  bool is_known() const { return next_.has_value(); }
  void lose() { next_.reset(); }

  /// Finds the place, unless it is known or not looked for any more.
  void find() {
    if (is_known() || !is_looked_for()) return;
    next_ = located();
    misses_ = next_ ? 0 : misses_ + 1;
  }

  /// Of the next launch, from 0 to length - 1; meaningless where it is not known.
  int next() const { return next_.value_or(0); }

  void launched(int count) {
    if (next_) next_ = place(*next_ + count);
  }

  /// Launches empty kernels until a call that comes behind `lead` launches begins at this place.
  void align(int start) {
    while (next_ && place(*next_ + stream_.lead) != place(start)) {
      stream_.launch_empty();
      launched(1);
    }
  }

 private:
  static constexpr int most_misses = 3;
  static constexpr int looks = 2;           ///< at each place: the faster one counts
  static constexpr double contrast = 1.05;  ///< slow places take so many times as long as fast ones, or more

  static int place(int launches) { return (launches % length + length) % length; }

  /// Place 0 is the first fast one behind the two slow ones.
  std::optional<int> located() {
    std::array<double, length> seconds;
    seconds.fill(std::numeric_limits<double>::infinity());
    // Each pair begins one place behind the one before; in the end the stream stands where it stood.
    const int to_next_place = place(1 - stream_.lead - 2);
    for (int i = 0; i < looks * length; ++i) {
      double& least = seconds[static_cast<std::size_t>(i % length)];
      least = std::min(least, stream_.time_pair());
      for (int launch = 0; launch < to_next_place; ++launch) stream_.launch_empty();
    }
    const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
    if (*slowest < *fastest * contrast) return std::nullopt;
    const double middle = (*fastest + *slowest) / 2;
    const auto is_slow = [&](int i) { return seconds[static_cast<std::size_t>(place(i))] > middle; };
    for (int i = 0; i < length; ++i) {
      if (is_slow(i - 2) && is_slow(i - 1) && !is_slow(i) && !is_slow(i + 1)) return place(-stream_.lead - i);
    }
    return std::nullopt;
  }

  Stream stream_;
  std::optional<int> next_;
  int misses_ = 0;
};

}  // namespace tally::cuda
