#pragma once

#include <functional>
#include <memory>

#include "harness/device/device.h"

namespace tally {

/// How far a process may go to find a device that starts kernels as quickly as others of its run do.
struct Settling {
  int openings = 1;      ///< at most; 1 takes the device as it comes
  double known_gap = 0;  ///< the shortest launch gap that the run has seen, in seconds; 0: none yet
  static constexpr double alike = 0.025;  ///< gaps that differ by no more are of one kind
};

/// Opens the device, and opens it afresh until its launch gap is like the shortest one known. Where none is
/// known, the first half of the openings are for finding out: a kind that is rare is not to be missed by
/// chance, since all later processes are held against what the first one saw.
///
/// How quickly a stream's kernels follow one another belongs to a CUDA context: in some they take 8% longer
/// than in others, in every cell that is measured there, and nothing that an entry does changes that.
/// Contexts of one kind are what makes two runs agree.
std::unique_ptr<Device> open_settled(const std::function<std::unique_ptr<Device>()>& open,
                                     const Settling& settling);

}  // namespace tally
