#include "harness/measure/sampler.h"

#include <algorithm>
#include <numeric>

#include "harness/measure/random.h"

namespace tally {

void Contender::add(const Turn& turn) {
  series.add(turn.samples, turn.round);
  turns = turn.round + 1;
  batch = turn.batch;
  samples_in_a_turn = static_cast<int>(turn.samples.size());
  cpu_seconds += turn.cpu_seconds;
  seconds += turn.seconds;
  throttled = throttled || turn.throttled;
  stopped = rule.after(series.samples, turns, seconds);
}

std::vector<std::size_t> order_of_round(std::size_t count, int round, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream random(mixed_bits(seed) + static_cast<std::uint64_t>(round));
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

void take_turns(std::vector<Contender>& contenders, std::uint64_t seed,
                const std::function<bool(std::size_t)>& after_turn) {
  for (Contender& contender : contenders) {
    if (contender.stopped || contender.turns > 0) continue;
    const Contender::Pilot pilot = contender.pilot();
    contender.batch = pilot.batch;
    contender.samples_in_a_turn = contender.rule.samples_in_a_turn(pilot.seconds_a_sample);
  }
  const auto begun = [](const Contender& contender) { return contender.stopped ? -1 : contender.turns; };
  while (true) {
    // The earliest round that a contender still lacks; all in step unless a process before left in mid-round.
    int round = -1;
    for (const Contender& contender : contenders) {
      if (begun(contender) >= 0 && (round < 0 || begun(contender) < round)) round = begun(contender);
    }
    if (round < 0) return;
    for (const std::size_t index : order_of_round(contenders.size(), round, seed)) {
      Contender& contender = contenders[index];
      if (contender.stopped || contender.turns != round) continue;
      contender.add(contender.take_turn(round, contender.samples_in_a_turn, contender.batch));
      if (!after_turn(index)) return;
    }
  }
}

}  // namespace tally
