#include "harness/sweep/worker_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <system_error>
#include <thread>

#include "harness/measure/memory.h"

namespace tally {
namespace {

struct Pipe {
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  }
  int ends[2];
};

/// What an entry does to its process must stay there.
void settle_in_child(DeviceKind device) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // without a parent nobody reads the reports
  std::signal(SIGINT, SIG_IGN);      // a terminal's Ctrl-C reaches all; the parent says what is to be done
  std::signal(SIGTERM, SIG_IGN);
  std::signal(SIGPIPE, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Where memory runs out the kernel shall choose this process, and not the one that keeps the results.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  if (device == DeviceKind::cuda) return;  // the driver reserves far more than it uses
  const std::int64_t available = available_host_memory();
  if (available <= 0) return;
  const rlimit most{static_cast<rlim_t>(available), static_cast<rlim_t>(available)};
  setrlimit(RLIMIT_DATA, &most);
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerSetup& setup, const std::vector<int>& closed_in_child) {
  const Pipe orders;
  const Pipe reports;
  // What waits in buffers would be printed twice.
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process_ == 0) {
    for (const int descriptor : closed_in_child) {
      if (descriptor >= 0) close(descriptor);
    }
    close(orders.ends[1]);
    close(reports.ends[0]);
    settle_in_child(setup.device);
    if (getppid() != parent) _exit(1);  // it died before prctl()
    try {
      work(setup, orders.ends[0], reports.ends[1]);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "harness: worker: %s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  close(orders.ends[0]);
  close(reports.ends[1]);
  orders_ = orders.ends[1];
  reports_ = reports.ends[0];
  fcntl(reports_, F_SETFL, O_NONBLOCK);
  fcntl(orders_, F_SETPIPE_SZ, 1 << 20);  // an order with many turns must not wait for its reader
}

WorkerProcess::~WorkerProcess() {
  if (orders_ >= 0) close(orders_);
  close(reports_);
  if (!status_) {
    kill_now();
    reap(true);
  }
}

void WorkerProcess::send(const WorkOrder& order) {
  const std::string line = to_json(order).dump() + "\n";
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t written = write(orders_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // it has ended: the reports' end says so too
    done += static_cast<std::size_t>(written);
  }
}

std::vector<std::string> WorkerProcess::take_lines() {
  char part[65536];
  while (true) {
    const ssize_t got = read(reports_, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) ended_ = true;
    if (got <= 0) break;
    buffer_.append(part, static_cast<std::size_t>(got));
  }
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = 0; (end = buffer_.find('\n', start)) != std::string::npos; start = end + 1) {
    lines.push_back(buffer_.substr(start, end - start));
  }
  buffer_.erase(0, start);
  return lines;
}

void WorkerProcess::dismiss() {
  if (orders_ >= 0) close(orders_);
  orders_ = -1;
}

void WorkerProcess::retire() {
  dismiss();
  constexpr auto patience = std::chrono::seconds(5);
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < patience) {
    if (reap(false)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill_now();
  reap(true);
}

void WorkerProcess::kill_now() {
  if (!status_) kill(process_, SIGKILL);
}

bool WorkerProcess::reap(bool wait_for_it) {
  if (status_) return true;
  // Even a killed process can hang in a driver; then it is left alone after a while.
  for (int tenths = 0; tenths < (wait_for_it ? 100 : 1); ++tenths) {
    int status = 0;
    const pid_t reaped = waitpid(process_, &status, WNOHANG);
    if (reaped == process_) status_ = status;
    if (reaped < 0 && errno == ECHILD) status_ = 0;
    if (status_) return true;
    if (wait_for_it) std::this_thread::sleep_for(std::chrono::milliseconds(tenths < 20 ? 5 : 100));
  }
  return false;
}

bool WorkerProcess::was_killed() const {
  return status_ && WIFSIGNALED(*status_) && WTERMSIG(*status_) == SIGKILL;
}

std::string WorkerProcess::how_it_ended() {
  if (!reap(true)) return "it cannot be ended";
  if (WIFSIGNALED(*status_)) {
    const int number = WTERMSIG(*status_);
    std::string text = "signal " + std::to_string(number) + " (" + strsignal(number) + ")";
    return number == SIGKILL ? text + ", perhaps for want of memory" : text;
  }
  return "it ended its process with exit code " + std::to_string(WEXITSTATUS(*status_));
}

}  // namespace tally
