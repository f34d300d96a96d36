#pragma once

#include <optional>

#include "harness/device/device.h"
#include "harness/measure/row.h"
#include "harness/problems/problem.h"

namespace tally {

/// The read bandwidth of L2 for that footprint, between the measured ones by straight lines; the nearest one
/// beyond them; 0 where none was measured.
double l2_read_rate(const Ceilings& ceilings, double bytes);

/// What a cell of that problem can do at best: floor + bytes / bandwidth.
///   cold: the floor of a cold launch; HBM's read bandwidth. Where the problem writes arrays, a byte written
///   costs what
///         the copy's says that it costs: a copy's time less that of reading its source.
///   warm: the floor of a launch among many; L2's bandwidth where the bytes fit into 60% of it, else HBM's.
/// On clock end_to_end the floor is that of an answer in host memory.
/// `noise` is the cell's own: faster than the ceiling by more than that is an error of measurement, or what
/// was written is still in the cache.
CeilingFigures ceiling_of(const Ceilings& ceilings, const Problem& problem, CacheState cache, Clock clock,
                          std::int64_t l2_bytes, double median, double noise);

}  // namespace tally
