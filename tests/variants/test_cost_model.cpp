/// What every variant says that a call costs, held against what the CPU executor sees: launches, bytes read
/// and written by its lanes, the scratch that holds its partial results, the values that the host adds up.
#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <utility>

#include "harness/catalog/catalog.h"
#include "harness/device/device.h"
#include "harness/device/simt/counters.h"
#include "harness/measure/arrays.h"
#include "tests/support/exact_run.h"

namespace tally {
namespace {

const std::vector<std::int64_t> sizes{1, 1000, 4096, 4097};
constexpr std::int64_t size_with_all_tunings = 1000;

/// What a cost hangs on: sizes and choices of the first type, sizes of the last (another element's or
/// accumulator's size), tunings at one size. Values do not matter, and a cost for every combination would
/// take minutes on fixed grids of a thousand blocks.
std::vector<std::pair<ProblemKey, Tuning>> calls_of(const Entry& entry) {
  std::vector<std::pair<ProblemKey, Tuning>> calls;
  for (const ScalarType type : std::set<ScalarType>{entry.types.front(), entry.types.back()}) {
    const std::vector<ProblemKey> problems = testing::problems_of(entry, type, sizes);
    for (const ProblemKey& key : problems) {
      if (key.distribution != Distribution::exact) continue;
      const bool first_choices = key.knobs == problems.front().knobs;
      if (type == entry.types.front() || first_choices) calls.emplace_back(key, entry.default_tuning());
      if (type != entry.types.front() || !first_choices || key.n != size_with_all_tunings) continue;
      for (const Tuning& tuning : testing::tunings_of(entry)) {
        if (tuning != entry.default_tuning()) calls.emplace_back(key, tuning);
      }
    }
  }
  return calls;
}

std::vector<const Entry*> variants_with_a_cost() {
  std::vector<const Entry*> found = Catalog::instance().entries();
  std::erase_if(found, [](const Entry* entry) {
    // Reductions: what other families write by atomics or memsets is bytes to the model and no store to the
    // executor.
    if (entry->family != "reduce" && entry->family != "sum_of_squares") return true;
    return entry->kind != Entry::Kind::variant || !entry->runs_on(DeviceKind::simt) || !entry->cost;
  });
  return found;
}

/// Passes everything on and counts what goes to the host.
class ListeningQueue final : public DeviceQueue {
 public:
  explicit ListeningQueue(DeviceQueue& queue) : queue_(queue) {}
  void* native_stream() override { return queue_.native_stream(); }
  void memset(void* target, int value, std::size_t bytes) override { queue_.memset(target, value, bytes); }
  void copy(void* target, const void* source, std::size_t bytes) override {
    queue_.copy(target, source, bytes);
  }
  void copy_to_host(void* target, const void* source, std::size_t bytes) override {
    bytes_to_host += static_cast<std::int64_t>(bytes);
    queue_.copy_to_host(target, source, bytes);
  }
  void synchronize() override { queue_.synchronize(); }

  std::int64_t bytes_to_host = 0;

 private:
  DeviceQueue& queue_;
};

struct Seen {
  simt::Counters counters;
  std::int64_t scratch_bytes = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t answer_size = 0;  ///< bytes of one element of the first output
};

/// One call; nothing where the entry or the family declares that there is no such problem.
std::optional<Seen> seen_in_one_call(Device& device, const Entry& entry, const ProblemKey& key,
                                     const Tuning& tuning) {
  if (entry.refuses(tuning) || entry.cannot_take(key, tuning)) return std::nullopt;
  std::unique_ptr<Problem> problem;
  try {
    problem = make_problem(key);
  } catch (const ProblemError&) {
    return std::nullopt;
  }
  const Implementation* implementation = entry.implementation_for(device.facts().kind, *problem);
  if (implementation == nullptr) return std::nullopt;

  Seen seen;
  ProblemArrays arrays(device, *problem, true);
  arrays.fill_inputs(*problem);
  for (const BufferSpec& spec : problem->buffers()) {
    if (spec.role == BufferSpec::Role::input || seen.answer_size != 0) continue;
    seen.answer_size = spec.element_bytes();
  }
  GuardedScratch scratch(device, entry.full_name());
  const Prepared prepared = implementation->prepare(*problem, arrays.buffers(), tuning, scratch);
  const simt::Session session;
  device.run([&](DeviceQueue& queue) {
    ListeningQueue listening(queue);
    prepared.call(listening);
    seen.bytes_to_host = listening.bytes_to_host;
  });
  seen.counters = session.total();
  seen.scratch_bytes = scratch.bytes();
  return seen;
}

class CostModel : public ::testing::TestWithParam<const Entry*> {};

TEST_P(CostModel, IsWhatTheExecutorSees) {
  const Entry& entry = *GetParam();
  const std::unique_ptr<Device> device = open_device(DeviceKind::simt, 0);
  int calls = 0;
  for (const auto& [key, tuning] : calls_of(entry)) {
    const std::optional<Seen> seen = seen_in_one_call(*device, entry, key, tuning);
    if (!seen) continue;
    ++calls;
    const Cost claimed = entry.cost(key, tuning);
    const std::string where = key.id() + " " + tuning.text();
    ASSERT_EQ(claimed.launches, seen->counters.launches) << where;
    if (simt::counting_available()) {
      ASSERT_EQ(claimed.bytes_read, seen->counters.global_load_bytes) << where;
      ASSERT_EQ(claimed.bytes_written, seen->counters.global_store_bytes) << where;
    }
    if (entry.answers_on_host) {
      ASSERT_EQ(claimed.host_additions * seen->answer_size, seen->bytes_to_host) << where;
      ASSERT_EQ(claimed.host_additions, claimed.partials) << where;
    } else {
      ASSERT_EQ(claimed.host_additions, 0) << where;
    }
    // Entries that write over their input keep partial results there.
    if (!entry.destroys_input) {
      ASSERT_LE(claimed.partials * seen->answer_size, seen->scratch_bytes) << where;
    }
  }
  EXPECT_GT(calls, 0) << "every problem was passed over";
}

INSTANTIATE_TEST_SUITE_P(Catalog, CostModel, ::testing::ValuesIn(variants_with_a_cost()),
                         [](const ::testing::TestParamInfo<const Entry*>& entry) {
                           std::string name = entry.param->full_name();
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace tally
