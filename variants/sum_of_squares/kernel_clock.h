#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/catalog/entry.h"
#include "harness/device/launch.h"

/// A kernel's own clock, after the source of the series: each block notes when it starts and ends, and the
/// kernel took from the earliest start to the latest end. The source compares clock() of different
/// multiprocessors, which nothing keeps in step, and lets thread 0 note the end while others still work. Here
/// the end is noted behind a barrier, and two clocks are noted: cycles where one block ran, whose
/// multiprocessor has one clock; where many ran, nanoseconds of the GPU's common timer, turned into cycles.
///
/// What it costs: four stores of 8 bytes a block that nobody waits for, and one barrier a block.
namespace tally {

/// What a block notes of its own run: block_notes.h has what a kernel calls.
struct BlockTimes {
  std::int64_t start_nanoseconds;  ///< of the timer that all multiprocessors share
  std::int64_t start_cycles;       ///< of the block's own multiprocessor
  std::int64_t end_nanoseconds;
  std::int64_t end_cycles;
};

/// The counters that an entry hands out:
///   kernel_cycles             cycles of a multiprocessor from the earliest start to the latest end
///   kernel_cycles_resolution  the smallest difference that the clock behind it can show, in cycles
/// One block: clock64, to the cycle. Many: the common timer times the cycles a nanosecond of the block that
/// ran longest; the resolution is the smallest step seen between two notes, which is never finer than the
/// timer's own. Empty where the timer did not move at all. On the CPU executor both clocks count the
/// executor's own nanoseconds.
inline std::map<std::string, double> counters_of(std::vector<BlockTimes> blocks) {
  if (blocks.size() == 1) {
    const auto cycles = static_cast<double>(blocks[0].end_cycles - blocks[0].start_cycles);
    return {{"kernel_cycles", cycles}, {"kernel_cycles_resolution", 1}};
  }
  std::vector<std::int64_t> notes;
  BlockTimes longest = blocks.front();
  const auto nanoseconds = [](const BlockTimes& b) { return b.end_nanoseconds - b.start_nanoseconds; };
  for (const BlockTimes& block : blocks) {
    notes.push_back(block.start_nanoseconds);
    notes.push_back(block.end_nanoseconds);
    if (nanoseconds(block) > nanoseconds(longest)) longest = block;
  }
  if (nanoseconds(longest) == 0) return {};
  std::sort(notes.begin(), notes.end());
  std::int64_t step = notes.back() - notes.front();
  for (std::size_t i = 1; i < notes.size(); ++i) {
    if (notes[i] > notes[i - 1]) step = std::min(step, notes[i] - notes[i - 1]);
  }
  const double cycles_a_nanosecond = static_cast<double>(longest.end_cycles - longest.start_cycles) /
                                     static_cast<double>(nanoseconds(longest));
  return {{"kernel_cycles", static_cast<double>(notes.back() - notes.front()) * cycles_a_nanosecond},
          {"kernel_cycles_resolution", static_cast<double>(step) * cycles_a_nanosecond}};
}

/// `call` with the counters of its last run, fetched from `times` (one a block, device memory) after the
/// clock has stopped.
template <typename Call>
Prepared with_kernel_clock(Call call, const BlockTimes* times, std::int64_t blocks) {
  auto last = std::make_shared<DeviceQueue*>(nullptr);
  return {[=](DeviceQueue& device_queue) {
            *last = &device_queue;
            Queue q(device_queue);
            call(q);
          },
          [=]() -> std::map<std::string, double> {
            if (*last == nullptr) return {};
            std::vector<BlockTimes> noted(static_cast<std::size_t>(blocks));
            (*last)->copy_to_host(noted.data(), times, noted.size() * sizeof(BlockTimes));
            (*last)->synchronize();
            return counters_of(std::move(noted));
          }};
}

}  // namespace tally
