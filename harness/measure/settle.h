#pragma once

#include <functional>
#include <memory>

#include "harness/device/device.h"

namespace tally {

/// How far a process may go to find a device whose pace is that of the others of its run.
struct Settling {
  int openings = 1;  ///< at most; 1 takes the device as it comes
  Pace best = {};    ///< the shortest of either that the run has seen, in seconds; 0: none yet
  static constexpr double alike_gaps = 0.025;  ///< those that differ by no more are of one kind
  static constexpr double alike_trips = 0.04;
};

/// The shorter of each; zeros count as unknown.
Pace shorter_of(const Pace& one, const Pace& other);

/// Opens the device, and opens it afresh until its pace is like the best one known. Where none is known, the
/// first half of the openings are for finding out: a kind that is rare is not to be missed by chance, since
/// all later processes are held against what the first one saw.
///
/// How quickly a stream's kernels follow one another belongs to a CUDA context: in some they take 8% longer
/// than in others, in every cell that is measured there, and nothing that an entry does changes that. So does
/// how soon the host sees an answer, by which calls that wait inside differ by a quarter. Contexts of one
/// kind are what makes two runs agree. In the second half of the openings the launch gap is enough, which is
/// in every cell: few wait for the host.
std::unique_ptr<Device> open_settled(const std::function<std::unique_ptr<Device>()>& open,
                                     const Settling& settling);

}  // namespace tally
