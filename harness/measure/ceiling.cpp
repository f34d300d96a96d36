#include "harness/measure/ceiling.h"

#include <algorithm>
#include <cmath>

namespace tally {
namespace {
/// Beyond this share of L2, what one call leaves there is no longer all there for the next.
constexpr double usable_share_of_l2 = 0.6;

/// A call that writes more of its bytes than this is said to be limited by copying, and not by reading.
constexpr double share_that_counts_as_a_copy = 0.1;

/// Bytes that must be written: the outputs; of an array that is read and written at most half of what must
/// move.
double bytes_written(const Problem& problem) {
  double written = 0;
  for (const BufferSpec& spec : problem.buffers()) {
    const auto bytes = static_cast<double>(spec.bytes());
    if (spec.role == BufferSpec::Role::output) written += bytes;
    if (spec.role == BufferSpec::Role::input_and_output) written += std::min(bytes, problem.bytes() / 2);
  }
  return std::min(written, problem.bytes());
}

/// Seconds that memory needs for bytes of both kinds.
double seconds_of_memory(const Ceilings& ceilings, double read, double written) {
  if (ceilings.hbm_read <= 0 || ceilings.hbm_copy <= 0) return 0;
  const double of_a_byte_read = 1 / ceilings.hbm_read;
  const double of_a_byte_written = 2 / ceilings.hbm_copy - of_a_byte_read;
  return read * of_a_byte_read + written * std::max(of_a_byte_written, 0.0);
}

}  // namespace

double l2_read_rate(const Ceilings& ceilings, double bytes) {
  const auto& rates = ceilings.l2_read;
  if (rates.empty()) return 0;
  const auto above = std::find_if(rates.begin(), rates.end(), [bytes](const Ceilings::Footprint& footprint) {
    return static_cast<double>(footprint.bytes) >= bytes;
  });
  if (above == rates.end()) return rates.back().rate;
  if (above == rates.begin()) return above->rate;
  const auto below = above - 1;
  const double place =
      (bytes - static_cast<double>(below->bytes)) / static_cast<double>(above->bytes - below->bytes);
  return std::lerp(below->rate, above->rate, place);
}

CeilingFigures ceiling_of(const Ceilings& ceilings, const Problem& problem, CacheState cache, Clock clock,
                          std::int64_t l2_bytes, double median, double noise) {
  const double bytes = problem.bytes();
  CeilingFigures figures;
  const double written = bytes_written(problem);
  figures.name = written > bytes * share_that_counts_as_a_copy ? "hbm_copy" : "hbm_read";
  double seconds = seconds_of_memory(ceilings, bytes - written, written);
  const double in_l2 = l2_read_rate(ceilings, bytes);
  if (cache == CacheState::warm && in_l2 > 0 && bytes <= usable_share_of_l2 * static_cast<double>(l2_bytes)) {
    figures.name = "l2_read";
    seconds = bytes / in_l2;
  }
  const double floor = clock == Clock::end_to_end  ? ceilings.launch_floor_end_to_end
                       : cache == CacheState::warm ? ceilings.launch_floor_batched
                                                   : ceilings.launch_floor_cold;
  figures.seconds = floor + seconds;
  figures.fraction = median > 0 ? figures.seconds / median : 0;
  figures.above = figures.fraction > 1 + noise;
  return figures;
}

}  // namespace tally
