/// \file
/// Faults of a kernel (a wild address, a division by zero, a trap instruction) become errors of its launch.
#pragma once

namespace tally::simt {

/// While it lives, this thread's faults inside a fiber end the launch; other faults take their usual course.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  void* signal_stack_;
  void* replaced_stack_;
};

}  // namespace tally::simt
