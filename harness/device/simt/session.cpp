#include <atomic>
#include <mutex>
#include <stdexcept>

#include "harness/device/simt/counters.h"
#include "harness/device/simt/memory.h"
#include "harness/device/simt/recorder.h"

namespace tally::simt {
namespace {

std::mutex launch_mutex;  // while a session lives, one launch at a time
std::atomic<Recorder*> living = nullptr;

}  // namespace

Session::Session() : recorder_(std::make_unique<Recorder>()) {
  Recorder* none = nullptr;
  if (!living.compare_exchange_strong(none, recorder_.get())) {
    throw std::logic_error("simt: a Session lives already; one at a time");
  }
}

Session::~Session() { living = nullptr; }

Counters Session::total() const { return recorder_->total(); }
const std::vector<Session::Launch>& Session::launches() const { return recorder_->launches(); }
std::vector<LineCounters> Session::lines() const { return recorder_->lines(); }
std::vector<Finding> Session::findings() const { return recorder_->findings(); }
void Session::clear() { recorder_->clear(); }

Recorder* begin_recording(const GridLaunch& launch) {
  if (living.load(std::memory_order_relaxed) == nullptr) return nullptr;
  launch_mutex.lock();
  Recorder* recorder = living;
  if (recorder == nullptr) {
    launch_mutex.unlock();
    return nullptr;
  }
  recorder->begin_launch(launch);
  return recorder;
}

void end_recording(Recorder* recorder) {
  // What nobody has seen may have written anything.
  if (recorder == nullptr) return mark_everything_initialised();
  recorder->end_launch();
  launch_mutex.unlock();
}

}  // namespace tally::simt
