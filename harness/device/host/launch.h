#pragma once

namespace tally {
inline namespace host_calls {

inline constexpr DeviceKind device_of_this_file = DeviceKind::host;

/// On the host a timed call is a plain call; the queue is there so that all entries look alike.
class Queue {
 public:
  explicit Queue(DeviceQueue& queue) : queue_(queue) {}
  void memset(void* target, int value, std::size_t bytes) { queue_.memset(target, value, bytes); }
  void copy(void* target, const void* source, std::size_t bytes) { queue_.copy(target, source, bytes); }

 private:
  DeviceQueue& queue_;
};

}  // namespace host_calls
}  // namespace tally

#define TALLY_ON_CUDA(...)
