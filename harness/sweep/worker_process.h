#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/sweep/worker.h"

namespace tally {

/// A worker process, seen from its parent. Killed when the object goes.
class WorkerProcess {
 public:
  /// Forks. Nothing in this process may have started threads or touched a GPU before. `closed_in_child` are
  /// descriptors that the worker must not hold open. Throws std::system_error.
  WorkerProcess(const WorkerSetup& setup, const std::vector<int>& closed_in_child);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// To be polled for reading.
  int reports() const { return reports_; }

  /// This process's ends of both pipes, which no other worker may hold open.
  std::vector<int> descriptors() const { return {orders_, reports_}; }

  void send(const WorkOrder& order);

  /// Whole lines that have arrived. Afterwards ended() is true where the worker has closed its end.
  std::vector<std::string> take_lines();
  bool ended() const { return ended_; }

  /// Lets it go when its last order is done: it gets no more.
  void dismiss();
  bool is_dismissed() const { return orders_ < 0; }

  /// Dismisses it and waits a while for it to go, then kills it.
  void retire();

  void kill_now();

  /// Reaps it: "signal 11 (Segmentation fault)", "it ended itself with exit code 3".
  std::string how_it_ended();

  /// By SIGKILL, which no entry causes by itself. After how_it_ended().
  bool was_killed() const;

 private:
  bool reap(bool wait_for_it);

  pid_t process_ = -1;
  int orders_ = -1;
  int reports_ = -1;
  std::string buffer_;
  bool ended_ = false;
  std::optional<int> status_;
};

}  // namespace tally
