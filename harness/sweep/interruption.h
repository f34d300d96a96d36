#pragma once

namespace tally {

/// While it lives, SIGINT and SIGTERM are counted instead of ending the process, and a reader that is gone is
/// an error of write() instead of a signal.
class InterruptionWatch {
 public:
  InterruptionWatch();
  ~InterruptionWatch();
  InterruptionWatch(const InterruptionWatch&) = delete;
  InterruptionWatch& operator=(const InterruptionWatch&) = delete;

  static int count();
  static int first_signal();  ///< 0 where none has come
};

}  // namespace tally
