#pragma once

#include <string>

namespace tally {

/// Holds a results file for one run: a lock on the file `path`.lock, which goes with the process however that
/// ends.
class OutputLock {
 public:
  /// Throws ConfigError where another run holds it.
  explicit OutputLock(const std::string& out_path);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

  /// Workers must not keep it: they may outlive this process by a moment.
  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tally
